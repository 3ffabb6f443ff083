import { type Kysely, sql } from 'kysely';

/** Counts of issued licences, one row per library and UTC day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table licence_count (
      library_id bigint not null references library on delete cascade,
      day date not null,
      issued bigint not null,
      primary key (library_id, day)
    )
  `.execute(db);
}
