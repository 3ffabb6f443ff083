import { type Kysely, sql } from 'kysely';

/** Another file in the place of a finished video's own: until when one is taken, and what stands meanwhile. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table media add column replace_until timestamptz, add column replaced jsonb`.execute(db);
}
