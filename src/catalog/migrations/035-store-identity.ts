import { type Kysely, sql } from 'kysely';

/** Ties a database to its store, and records orphans in quarantine before they are deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(INSTALLATION).execute(db);
  await sql.raw(ORPHANS).execute(db);
}

// The sequence grows while objects are written and is copied into the store's mark after its commit. A mark that is
// ahead of it was written by a later state of this database, so this one is a restored backup.
const INSTALLATION = `
  create table installation (
    singleton boolean primary key default true check (singleton),
    id uuid not null default gen_random_uuid(),
    sequence bigint not null default 0,
    held_until timestamptz,
    held_sequence bigint
  );
  insert into installation default values;
`;

const ORPHANS = `
  create table orphan (
    kind text not null check (kind in ('object', 'upload')),
    name text not null collate "C",
    size_bytes bigint not null,
    modified_at timestamptz not null,
    found_at timestamptz not null default now(),
    kept_at timestamptz,
    primary key (kind, name)
  );
  create index orphan_due on orphan (found_at) where kept_at is null;
  create table orphan_sweep (
    singleton boolean primary key default true check (singleton),
    after_key text not null default '',
    objects bigint not null default 0,
    last_objects bigint
  );
  insert into orphan_sweep default values;
`;
