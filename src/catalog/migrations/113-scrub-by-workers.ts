import { type Kysely, sql } from 'kysely';

/** Each worker pauses by itself after a long object. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scrub drop column rests_until`.execute(db);
}
