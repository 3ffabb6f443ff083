import type { Pool } from 'pg';

export type Database = Pool;
