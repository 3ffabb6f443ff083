import { type Kysely, sql } from 'kysely';

/** When a period began: the programme clock of its playlists, which goes on evenly whatever its publishers do. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_period add column start_ms bigint`.execute(db);
}
