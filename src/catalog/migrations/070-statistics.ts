import { type Kysely, sql } from 'kysely';

/** Viewing sessions, partitioned by day, and the sums that statistics and heatmaps are read from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SESSIONS).execute(db);
  await sql.raw(SUMS).execute(db);
}

// No foreign keys: the history of a library outlives its videos. `watched_sec[n]` belongs to the n-th hour of the
// session.
const SESSIONS = `
  create table view_session (
    start_hour timestamptz not null,
    session_id uuid not null,
    library_id bigint not null,
    media_id uuid not null,
    sequence integer not null,
    country text not null default '',
    device text not null default '',
    referrer_host text not null default '',
    watched_sec integer[] not null default '{}',
    heat bytea not null default '',
    startup_ms integer,
    stall_count integer not null default 0,
    stall_ms integer not null default 0,
    failures integer not null default 0,
    primary key (start_hour, session_id)
  ) partition by range (start_hour);
`;

const SUMS = `
  create table stat_hour (
    library_id bigint not null,
    media_id uuid not null,
    hour timestamptz not null,
    country text not null,
    views bigint not null default 0,
    watch_sec bigint not null default 0,
    primary key (library_id, media_id, hour, country)
  );
  create table stat_library_hour (
    library_id bigint not null,
    hour timestamptz not null,
    country text not null,
    views bigint not null default 0,
    watch_sec bigint not null default 0,
    primary key (library_id, hour, country)
  );
  create table media_heat (
    library_id bigint not null,
    media_id uuid not null,
    bucket_sec integer not null,
    sessions bigint not null default 0,
    counts bytea not null,
    primary key (library_id, media_id)
  );
`;
