import { type Kysely, sql } from 'kysely';

/** Adds share pages. Older versions ignore the table. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table share (
      id uuid primary key,
      library_id bigint not null,
      media_id uuid not null,
      token_hash bytea not null unique,
      token_sealed bytea not null,
      password_hash text,
      allows_download boolean not null,
      expires_at timestamptz,
      created_by text not null,
      created_at timestamptz not null default now(),
      foreign key (library_id, media_id) references media (library_id, id) on delete cascade
    )`.execute(db);
  await sql`create index share_media on share (library_id, media_id)`.execute(db);
}
