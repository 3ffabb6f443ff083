import { type Kysely, sql } from 'kysely';

/** When the media of a recording was taken, by which a range of it can be played. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_period add column clock jsonb`.execute(db);
}
