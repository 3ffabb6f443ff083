import { type Kysely, sql } from 'kysely';

/** Adds exports of libraries. Older versions ignore them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table library_export (
      id uuid primary key,
      library_id bigint not null references library (id) on delete cascade,
      target text not null check (target in ('s3', 'folder')),
      address text not null,
      destination bytea not null,
      state text not null check (state in ('running', 'cancelled', 'finished', 'failed')),
      concurrency integer not null,
      max_bytes_per_sec bigint,
      cursor uuid,
      failures integer not null default 0,
      total integer not null default 0,
      exported integer not null default 0,
      unchanged integer not null default 0,
      empty integer not null default 0,
      failed integer not null default 0,
      bytes bigint not null default 0,
      current text,
      problems jsonb not null default '[]',
      reason text,
      tick integer not null default 0,
      created_at timestamptz not null default now(),
      ended_at timestamptz
    )`.execute(db);
  await sql`create index library_export_library on library_export (library_id, created_at desc)`.execute(db);
}
