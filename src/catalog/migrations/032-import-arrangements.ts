import { type Kysely, sql } from 'kysely';

/** Lets items of an import have the video order of their collection. Older versions import collections without it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table import_item add column arrangement jsonb`.execute(db);
}
