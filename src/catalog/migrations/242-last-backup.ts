import { type Kysely, sql } from 'kysely';

/** Time, target and size of the installation's last backup. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      create table last_backup (
        singleton boolean primary key default true check (singleton),
        made_at timestamptz not null,
        objects bigint not null,
        bytes bigint not null,
        place text not null
      );
    `)
    .execute(db);
}
