import { type Kysely, sql } from 'kysely';

/** Start of a period, for the programme clock of its playlists, which advances evenly whatever its publishers do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_period add column start_ms bigint`.execute(db);
}
