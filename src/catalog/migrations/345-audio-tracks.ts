import { type Kysely, sql } from 'kysely';

/** Audio tracks that the owner of a video added to it, or changed (`AddedTrack`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table media add column audio_tracks jsonb not null default '[]'`.execute(db);
}
