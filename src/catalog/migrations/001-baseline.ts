import { readFile } from 'node:fs/promises';
import { type Kysely, sql } from 'kysely';

const SCHEMA = new URL('001-baseline.sql', import.meta.url);

/** Creates the schema of version 0.1.0. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(SCHEMA, 'utf8')).execute(db);
}
