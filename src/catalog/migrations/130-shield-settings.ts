import { type Kysely, sql } from 'kysely';

/** Inspection settings for requests that match no pull zone. For other requests, the zone's own settings apply. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table shield_settings (
      id integer primary key check (id = 0),
      settings jsonb not null default '{}'
    )`.execute(db);
  await sql`insert into shield_settings (id) values (0)`.execute(db);
}
