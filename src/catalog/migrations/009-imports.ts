import { type Kysely, sql } from 'kysely';

/** Adds imports and their items. Older versions run on this schema. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table library_import (
      id uuid primary key,
      library_id bigint not null references library (id) on delete cascade,
      source text not null,
      address text not null,
      request bytea not null,
      state text not null check
        (state in ('listing', 'planned', 'running', 'cancelling', 'cancelled', 'finished', 'failed')),
      is_dry_run boolean not null,
      concurrency integer not null,
      cursor text,
      is_listed boolean not null default false,
      reason text,
      tick integer not null default 0,
      created_at timestamptz not null default now(),
      ended_at timestamptz
    )`.execute(db);
  await sql`create index library_import_library on library_import (library_id, created_at desc)`.execute(db);
  await sql`
    create table import_item (
      import_id uuid not null references library_import (id) on delete cascade,
      place integer not null,
      library_id bigint not null,
      kind text not null check (kind in ('collection', 'video')),
      source_id text not null,
      title text not null,
      target_id uuid not null,
      size_bytes bigint,
      duration_sec integer,
      details jsonb,
      state text not null default 'waiting' check
        (state in ('waiting', 'fetching', 'imported', 'skipped', 'failed')),
      owns_target boolean not null default false,
      reason text,
      is_retryable boolean not null default false,
      notes jsonb not null default '[]',
      attempts integer not null default 0,
      ready_at timestamptz not null default now(),
      primary key (import_id, place),
      unique (import_id, source_id)
    )`.execute(db);
  await sql`create index import_item_open on import_item (import_id, state, ready_at)
    where state in ('waiting', 'fetching')`.execute(db);
  await sql`create index import_item_target on import_item (library_id, target_id) where owns_target`.execute(db);
}
