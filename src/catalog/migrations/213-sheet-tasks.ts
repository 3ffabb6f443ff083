import { type Kysely, sql } from 'kysely';

/** What a task made that a later one of its video takes up: sheets of the storyboard (`SheetOutput`). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table encode_task add column output jsonb').execute(db);
}
