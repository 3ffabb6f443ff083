import { type Kysely, sql } from 'kysely';

/** Records the rest of the old store while its objects move, so that it is not only reported in the log. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`
      create table storage_move (
        id integer primary key default 1 check (id = 1),
        objects_left bigint not null,
        bytes_left bigint not null,
        uploads_left bigint not null,
        noted_at timestamptz not null default now()
      );
    `)
    .execute(db);
}
