import { type Kysely, sql } from 'kysely';

/** The trash, list filters by state and tag, and operations over many videos with their reports. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(TRASH).execute(db);
  await sql.raw(FILTERS).execute(db);
  await sql.raw(BULK).execute(db);
}

// Uses a separate type for the trash: all queries for videos read `type = 'video'` and so skip it.
const TRASH = `
  alter table media drop constraint media_type_check;
  alter table media add constraint media_type_check check (type in ('video', 'live', 'trash'));
  alter table media add column trashed_at timestamptz, add column trashed_from uuid;
  create index media_trash on media (trashed_at, id) where type = 'trash';
`;

// Few videos are in an unusual state, and most searches are for those.
const FILTERS = `
  create index media_by_state on media (library_id, state, created_at desc, id desc)
    where type = 'video' and state <> 'finished';
  create index media_tags on media using gin (meta_tags jsonb_path_ops);
`;

const BULK = `
  create table bulk_operation (
    id uuid primary key,
    library_id bigint not null,
    kind text not null check (kind in ('move', 'trash', 'restore', 'delete', 'reencode', 'retry')),
    collection_id uuid,
    total integer not null default 0,
    done integer not null default 0,
    failed integer not null default 0,
    created_at timestamptz not null default now(),
    ended_at timestamptz
  );
  create index bulk_operation_library on bulk_operation (library_id, created_at desc);
  create table bulk_item (
    bulk_id uuid not null references bulk_operation (id) on delete cascade,
    place integer not null,
    media_id uuid not null,
    state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
    reason text,
    primary key (bulk_id, place)
  );
  create index bulk_item_open on bulk_item (bulk_id, place) where state = 'waiting';
  create index bulk_item_failed on bulk_item (bulk_id, place) where state = 'failed';
`;
