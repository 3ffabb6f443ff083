import type { Thing } from '../config/thing.ts';

export type Mine = Thing;
