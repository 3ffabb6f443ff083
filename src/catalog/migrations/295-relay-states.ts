import { type Kysely, sql } from 'kysely';

/** States of a live stream's relays, as reported by its owner each second. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_lease add column relays jsonb`.execute(db);
}
