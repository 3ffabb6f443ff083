import { type Kysely, sql } from 'kysely';

/** Live streams, the ingest processes that own them, their periods, bitrates and stills. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(STREAMS).execute(db);
  await sql.raw(MEDIA).execute(db);
}

// A stream outlives the change of its media into a video, and the deletion of that video, so it references no media.
// The columns written each second (lease and last media times) are a narrow table with space for HOT updates.
const STREAMS = `
  create table live_node (
    id uuid primary key,
    region text not null,
    feed_url text not null,
    endpoints jsonb not null default '{}',
    capacity integer not null,
    publishers integer not null default 0,
    heartbeat_at timestamptz not null default now()
  );
  create table live_stream (
    library_id bigint not null references library (id) on delete cascade,
    id uuid not null unique,
    title text not null check (title <> ''),
    description text,
    category text,
    collection_id uuid,
    is_public boolean not null default true,
    state text not null check (state in ('created', 'scheduled', 'preview', 'running', 'ended', 'vod-processing',
      'error')),
    state_reason text,
    created_at timestamptz not null default now(),
    scheduled_start_at timestamptz,
    scheduled_end_at timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    duration_ms bigint,
    key_sealed bytea not null,
    key_hash bytea not null unique,
    dvr_enabled boolean not null default false,
    dvr_window_sec integer check (dvr_window_sec between 1 and 43200),
    record_vod boolean not null default false,
    available_resolutions text not null check (available_resolutions <> ''),
    width_px integer,
    height_px integer,
    frame_rate double precision,
    ingest_region text not null,
    peak_viewers integer not null default 0,
    viewer_seconds bigint not null default 0,
    thumbnail_file_name text,
    thumbnail_key text,
    thumbnail_updated_at timestamptz,
    countdown_enabled boolean,
    relays_sealed bytea,
    trailer_video_id text,
    primary key (library_id, id)
  );
  create index live_stream_by_date on live_stream (library_id, created_at desc, id desc);
  create index live_stream_unsealed on live_stream (ended_at) where state = 'vod-processing';
  create table live_lease (
    stream_id uuid primary key references live_stream (id) on delete cascade,
    owner uuid,
    feed_url text,
    epoch bigint not null default 0,
    lease_until timestamptz,
    session bigint not null default 0,
    kicked_session bigint not null default 0,
    primary_media_at timestamptz,
    backup_media_at timestamptz,
    first_media_at timestamptz,
    bitrate jsonb
  ) with (fillfactor = 50);
  create table live_bitrate (
    stream_id uuid not null references live_stream (id) on delete cascade,
    at timestamptz not null,
    samples jsonb not null,
    primary key (stream_id, at)
  );
  create table live_thumbnail (
    stream_id uuid not null references live_stream (id) on delete cascade,
    at timestamptz not null,
    storage_key text not null,
    size_bytes bigint not null,
    primary key (stream_id, at)
  );
`;

// A period is a run of segments with one set of parameters: one timeline, one init segment per rendition. Its first
// media sequence number continues the previous period. The wall-clock time of a chunk's first sample is its
// EXT-X-PROGRAM-DATE-TIME (RFC 8216 section 4.3.2.6).
const MEDIA = `
  create table live_period (
    library_id bigint not null,
    media_id uuid not null,
    number integer not null,
    timeline_id uuid not null,
    first_sequence bigint not null,
    is_preview boolean not null,
    parameters text not null,
    created_at timestamptz not null default now(),
    primary key (library_id, media_id, number),
    foreign key (library_id, media_id, timeline_id) references timeline (library_id, media_id, id) on delete cascade
  );
  alter table chunk add column wall_ms bigint;
`;
