import { type Kysely, sql } from 'kysely';

/** When the installation was backed up last, where to, and how large that was. */
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
