import { type Kysely, sql } from 'kysely';

/** Replacement of a finished video's file: the time until which one is accepted, and the state before it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table media add column replace_until timestamptz, add column replaced jsonb`.execute(db);
}
