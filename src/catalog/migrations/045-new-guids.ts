import { type Kysely, sql } from 'kysely';

/** Lets imports give their items new GUIDs. Older versions keep those of the source. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table library_import add column makes_new_guids boolean not null default false`.execute(db);
}
