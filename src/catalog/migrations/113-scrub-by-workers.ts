import { type Kysely, sql } from 'kysely';

/** Each worker rests by itself after a long object. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scrub drop column rests_until`.execute(db);
}
