import { type Kysely, sql } from 'kysely';

/** Capture times of a recording's media, by which a range of it can be played. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table live_period add column clock jsonb`.execute(db);
}
