import { type Kysely, sql } from 'kysely';

/** Adds the stored bytes of each library by month. Older versions ignore them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table storage_month (
      library_id bigint not null references library on delete cascade,
      month date not null,
      stored_bytes bigint not null,
      measured_at timestamptz not null default now(),
      primary key (library_id, month)
    )`.execute(db);
}
