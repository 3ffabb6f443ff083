import { type Kysely, sql } from 'kysely';

/** Audience data in addition to views and watch time, and bytes sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SESSIONS).execute(db);
  await sql.raw(SUMS).execute(db);
}

// `rung_sec`: seconds watched by video height. `reached`: a 32-bit count per bucket of the sessions among
// `reached_sessions` that played it.
const SESSIONS = `
  alter table view_session
    add column seen_at timestamptz not null default now(),
    add column rung_sec jsonb not null default '{}',
    add column is_estimate boolean not null default false,
    add column is_sketched boolean not null default false;
  alter table media_heat
    add column reached bytea not null default '',
    add column reached_sessions bigint not null default 0;
  alter table stat_hour
    add column estimated_views bigint not null default 0,
    add column estimated_watch_sec bigint not null default 0;
  alter table stat_library_hour
    add column estimated_views bigint not null default 0,
    add column estimated_watch_sec bigint not null default 0;
`;

// The all-zero media id represents the whole library. No foreign keys: history outlives videos.
const SUMS = `
  create table stat_day (
    library_id bigint not null,
    media_id uuid not null,
    day date not null,
    kind text not null,
    value text not null,
    sessions bigint not null default 0,
    amount bigint not null default 0,
    primary key (library_id, media_id, day, kind, value)
  );
  create table viewer_sketch (
    library_id bigint not null,
    media_id uuid not null,
    day date not null,
    registers bytea not null,
    primary key (library_id, media_id, day)
  );
  create table viewer_salt (
    day date primary key,
    salt bytea not null
  );
  create table delivered_hour (
    library_id bigint not null,
    media_id uuid not null,
    hour timestamptz not null,
    writer uuid not null,
    bytes bigint not null,
    primary key (library_id, media_id, hour, writer)
  );
`;
