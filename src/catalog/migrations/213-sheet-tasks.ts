import { type Kysely, sql } from 'kysely';

/** Output of a task that a later task of its video uses: sheets of the storyboard (`SheetOutput`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table encode_task add column output jsonb').execute(db);
}
