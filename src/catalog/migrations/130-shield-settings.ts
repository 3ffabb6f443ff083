import { type Kysely, sql } from 'kysely';

/** How requests that are for no pull zone are inspected; those of a zone are in the zone's own settings. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table shield_settings (
      id integer primary key check (id = 0),
      settings jsonb not null default '{}'
    )`.execute(db);
  await sql`insert into shield_settings (id) values (0)`.execute(db);
}
