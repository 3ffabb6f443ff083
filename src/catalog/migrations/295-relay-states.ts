import { type Kysely, sql } from 'kysely';

/** How the relays of a live stream are, as its owner reports it each second. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_lease add column relays jsonb`.execute(db);
}
