import { type Kysely, sql } from 'kysely';

/** Encoding status of a live stream's rungs, as reported by its owner each second. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_lease add column ladder jsonb`.execute(db);
}
