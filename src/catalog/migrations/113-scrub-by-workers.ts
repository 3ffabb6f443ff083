import { type Kysely, sql } from 'kysely';

/** Drops the common pause, because each worker now pauses on its own after a long object. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table scrub drop column rests_until`.execute(db);
}
