-- The whole schema of version 0.1.0. Later changes are migrations of their own, next to this file.

-- Functions may name tables that are created after them.
SET LOCAL check_function_bodies = off;

CREATE EXTENSION IF NOT EXISTS btree_gist;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE FUNCTION audit_line_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    if tg_op = 'DELETE' and old.at < now() - interval '90 days' then
      return old;
    end if;
    raise exception 'The audit log is append-only: % was refused.', tg_op;
  end $$;

CREATE FUNCTION choose_upload(most_tries integer) RETURNS TABLE(library_id bigint, media_id uuid)
    LANGUAGE plpgsql
    AS $$
  declare share record; chosen uuid;
  begin
    for share in select s.library_id from encode_share s where s.queue = 'plan'
      order by s.virtual_time, s.library_id loop
      select m.id into chosen from media m
      where m.library_id = share.library_id and m.type = 'video' and m.state = 'uploaded' and m.source_key is not null
        and m.process_tries < most_tries
      order by m.state_since, m.id limit 1 for update skip locked;
      if found then
        update encode_share s set virtual_time = s.virtual_time + 1
        where s.ctid = (select o.ctid from encode_share o where o.queue = 'plan' and o.library_id = share.library_id
          for no key update skip locked);
        return query select share.library_id, chosen;
        return;
      end if;
      perform from encode_share s where s.queue = 'plan' and s.library_id = share.library_id for update skip locked;
      if found then
        delete from encode_share s where s.queue = 'plan' and s.library_id = share.library_id and not exists (
          select from media m where m.library_id = share.library_id and m.type = 'video' and m.state = 'uploaded');
      end if;
    end loop;
  end $$;

CREATE TABLE encode_task (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    id uuid NOT NULL,
    timeline_id uuid NOT NULL,
    kind text NOT NULL,
    rendition_ids uuid[] NOT NULL,
    from_segment integer NOT NULL,
    to_segment integer NOT NULL,
    is_first boolean DEFAULT false NOT NULL,
    queue text NOT NULL,
    priority integer DEFAULT 0 NOT NULL,
    weight double precision NOT NULL,
    done_fraction double precision DEFAULT 0 NOT NULL,
    state text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    deaths integer DEFAULT 0 NOT NULL,
    reason text,
    owner text,
    lease_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    is_ready boolean DEFAULT true NOT NULL,
    ready_at timestamp with time zone DEFAULT now() NOT NULL,
    postponements integer DEFAULT 0 NOT NULL,
    output jsonb,
    CONSTRAINT encode_task_queue_check CHECK ((queue = ANY (ARRAY['quick'::text, 'long'::text, 'viewers'::text]))),
    CONSTRAINT encode_work_kind_check CHECK ((kind <> ''::text)),
    CONSTRAINT encode_work_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text])))
)
WITH (fillfactor='75');

CREATE FUNCTION claim_encode_task(in_lane text, by_owner text, lease_sec double precision, least_priority integer, without_media uuid[]) RETURNS SETOF encode_task
    LANGUAGE plpgsql
    AS $$
  declare share record; chosen encode_task;
  begin
    for share in select library_id from encode_share where queue = in_lane order by virtual_time, library_id loop
      select * into chosen from encode_task
      where state = 'waiting' and is_ready and queue = in_lane and library_id = share.library_id
        and priority >= least_priority and media_id <> all (without_media)
      order by priority desc, created_at, id limit 1 for update skip locked;
      if found then
        update encode_share set virtual_time = virtual_time + chosen.weight
        where ctid = (select ctid from encode_share where queue = in_lane and library_id = share.library_id
          for no key update skip locked);
        return query update encode_task set state = 'running', attempt = nextval('encode_attempt'), owner = by_owner,
          reason = null, started_at = now(), lease_until = now() + make_interval(secs => lease_sec)
          where id = chosen.id returning *;
        return;
      end if;
      perform from encode_share where queue = in_lane and library_id = share.library_id for update skip locked;
      if found then
        delete from encode_share where queue = in_lane and library_id = share.library_id and not exists (
          select from encode_task where state = 'waiting' and is_ready and queue = in_lane
            and library_id = share.library_id);
      end if;
    end loop;
  end $$;

CREATE FUNCTION count_videos(of_library bigint) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
    select coalesce(sum(videos), 0)::bigint from library_video_count where library_id = of_library
  $$;

CREATE FUNCTION letters_and_pairs(text text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    declare
      letters text[] := string_to_array(text, null);
      found text[] := letters;
      amount integer := cardinality(letters);
    begin
      for place in 2..amount loop
        found[amount + place - 1] := letters[place - 1] || letters[place];
      end loop;
      return found;
    end
  $$;

CREATE FUNCTION note_captions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      insert into captions_unread (library_id, media_id) values (new.library_id, new.id)
        on conflict (library_id, media_id) do update set changes = captions_unread.changes + 1;
      return null;
    end
  $$;

CREATE FUNCTION notify_keys() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        begin
          perform pg_notify('millrace_progress', 'keys');
          return null;
        end
      $$;

CREATE FUNCTION prune_audit_lines(most integer) RETURNS bigint
    LANGUAGE sql
    AS $$
    with gone as (
      delete from audit_line where id in (
        select id from audit_line
        where at < (date_trunc('day', now() at time zone 'utc') - interval '90 days') at time zone 'utc'
        order by at limit most)
      returning 1)
    select count(*) from gone
  $$;

CREATE FUNCTION raise_hostname_policy() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      update pull_zone set revision = revision + 1 where id = coalesce(new.pull_zone_id, old.pull_zone_id);
      return null;
    end
  $$;

CREATE FUNCTION raise_library_policy() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      update pull_zone set revision = revision + 1 where library_id = new.id;
      return null;
    end
  $$;

CREATE FUNCTION raise_policy() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    begin
      new.revision := old.revision + 1;
      perform pg_notify('millrace_publication', new.library_id || ':policy');
      return new;
    end
  $$;

CREATE FUNCTION ready_encode_task() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  declare woken text;
  begin
    perform share_encode_queue(new.queue, new.library_id);
    delete from encode_idle where ctid = (
      select ctid from encode_idle where queue = new.queue order by since limit 1 for update skip locked)
    returning owner into woken;
    if woken is not null then perform pg_notify('millrace_task', woken); end if;
    return null;
  end $$;

CREATE FUNCTION share_encode_queue(in_lane text, of_library bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
  begin
    loop
      perform from encode_share where queue = in_lane and library_id = of_library for key share;
      exit when found;
      insert into encode_share (queue, library_id, virtual_time)
      select in_lane, of_library, coalesce(min(virtual_time), 0) from encode_share where queue = in_lane
      on conflict do nothing;
    end loop;
  end $$;

CREATE FUNCTION share_encode_queues() RETURNS void
    LANGUAGE sql
    AS $$
    with recursive waiting (queue, library_id) as (
      (select queue, library_id from encode_task where state = 'waiting' and is_ready order by queue, library_id limit 1)
      union all
      select next.* from waiting w cross join lateral (
        select e.queue, e.library_id from encode_task e where e.state = 'waiting' and e.is_ready
          and (e.queue, e.library_id) > (w.queue, w.library_id) order by e.queue, e.library_id limit 1) next)
    insert into encode_share (queue, library_id, virtual_time) select queue, library_id, 0 from waiting
    on conflict do nothing
  $$;

CREATE FUNCTION share_upload() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    perform share_encode_queue('plan', new.library_id);
    return null;
  end $$;

CREATE FUNCTION share_upload_queues() RETURNS void
    LANGUAGE sql
    AS $$
    with recursive waiting (library_id) as (
      (select library_id from media where type = 'video' and state = 'uploaded' order by library_id limit 1)
      union all
      select next.library_id from waiting w cross join lateral (
        select m.library_id from media m where m.type = 'video' and m.state = 'uploaded' and m.library_id > w.library_id
        order by m.library_id limit 1) next)
    insert into encode_share (queue, library_id, virtual_time) select 'plan', library_id, 0 from waiting
    on conflict do nothing
  $$;

CREATE FUNCTION tell_media_progress() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
  begin
    perform pg_notify('millrace_progress', case when tg_op = 'DELETE'
      then old.library_id || ':' || old.id || ':deleted'
      else new.library_id || ':' || new.id || ':' || new.revision end);
    return null;
  end $$;

CREATE FUNCTION tend_encode_tasks(steady_sec double precision) RETURNS void
    LANGUAGE plpgsql
    AS $$
  declare steady timestamptz;
  begin
    update encode_clock set seen_at = clock_timestamp(), steady_since =
      case when seen_at < clock_timestamp() - interval '10 seconds' then clock_timestamp() else steady_since end
    where id = (select id from encode_clock where seen_at < clock_timestamp() - interval '1 second'
      for update skip locked)
    returning steady_since into steady;
    if not found then return; end if;
    update encode_task set is_ready = true where id in (
      select id from encode_task where state = 'waiting' and not is_ready and ready_at <= now()
      order by ready_at limit 1000 for update skip locked);
    if steady <= clock_timestamp() - make_interval(secs => steady_sec) then
      update encode_task set state = 'waiting', is_ready = true, deaths = deaths + 1, owner = null, lease_until = null,
        reason = 'waiting for an encoder slot'
      where id in (select id from encode_task where state = 'running' and lease_until < now()
        limit 1000 for update skip locked);
    end if;
    delete from encode_idle where since < now() - interval '1 minute';
  end $$;

CREATE TABLE access_key (
    id uuid NOT NULL,
    library_id bigint,
    hash bytea NOT NULL,
    scope text NOT NULL,
    label text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT access_key_scope_check CHECK ((scope = ANY (ARRAY['account'::text, 'write'::text, 'read'::text])))
);

CREATE TABLE attempt_log (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    id bigint NOT NULL,
    kind text NOT NULL,
    renditions text[] NOT NULL,
    from_segment integer NOT NULL,
    to_segment integer NOT NULL,
    reason text NOT NULL,
    messages text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT attempt_log_messages_check CHECK ((length(messages) <= 8192))
);

ALTER TABLE attempt_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME attempt_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE audit_line (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    library_id bigint,
    key_name text NOT NULL,
    scope text NOT NULL,
    operation text NOT NULL,
    targets jsonb NOT NULL,
    status integer NOT NULL,
    request_id uuid NOT NULL,
    ip text NOT NULL,
    hash bytea NOT NULL
);

ALTER TABLE audit_line ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME audit_line_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE bulk_item (
    bulk_id uuid NOT NULL,
    place integer NOT NULL,
    media_id uuid NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    reason text,
    collection_before uuid,
    CONSTRAINT bulk_item_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text])))
);

CREATE TABLE bulk_operation (
    id uuid NOT NULL,
    library_id bigint NOT NULL,
    kind text NOT NULL,
    collection_id uuid,
    total integer DEFAULT 0 NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    undoes text,
    notes_places boolean DEFAULT true NOT NULL,
    CONSTRAINT bulk_operation_kind_check CHECK ((kind = ANY (ARRAY['move'::text, 'trash'::text, 'restore'::text, 'delete'::text, 'reencode'::text, 'retry'::text, 'cancel'::text, 'transcribe'::text])))
);

CREATE TABLE captions_unread (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    changes integer DEFAULT 1 NOT NULL
);

CREATE TABLE chunk (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    rendition_id uuid NOT NULL,
    first_segment integer NOT NULL,
    segment_count integer NOT NULL,
    attempt integer NOT NULL,
    revision bigint NOT NULL,
    storage_key text NOT NULL,
    size_bytes bigint NOT NULL,
    idx_bytes bigint NOT NULL,
    sha256 bytea NOT NULL,
    start_tick bigint NOT NULL,
    duration_ticks bigint NOT NULL,
    fragment_table bytea NOT NULL,
    samples integer NOT NULL,
    cts_runs integer NOT NULL,
    sync_count integer NOT NULL,
    peak_segment_bps bigint NOT NULL,
    published_at timestamp with time zone DEFAULT now() NOT NULL,
    wall_ms bigint,
    CONSTRAINT chunk_first_segment_check CHECK ((first_segment >= 0)),
    CONSTRAINT chunk_idx_bytes_check CHECK ((idx_bytes > 0)),
    CONSTRAINT chunk_segment_count_check CHECK ((segment_count > 0)),
    CONSTRAINT chunk_size_bytes_check CHECK ((size_bytes > 0))
);

CREATE TABLE collection (
    library_id bigint NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    video_count bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE composition (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    recipe jsonb NOT NULL
);

CREATE TABLE dashboard_session (
    hash bytea NOT NULL,
    key_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE delivered_hour (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    writer uuid NOT NULL,
    bytes bigint NOT NULL
);

CREATE TABLE drm_package (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    number integer NOT NULL,
    scheme text NOT NULL,
    keys_sealed bytea NOT NULL,
    signals jsonb DEFAULT '[]'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    retired_at timestamp with time zone,
    CONSTRAINT drm_package_number_check CHECK ((number > 0)),
    CONSTRAINT drm_package_scheme_check CHECK ((scheme = ANY (ARRAY['cenc'::text, 'cbcs'::text])))
);

CREATE SEQUENCE encode_attempt
    AS integer
    START WITH 1000000
    INCREMENT BY 1
    MINVALUE 1000000
    MAXVALUE 999999999
    CACHE 1
    CYCLE;

CREATE TABLE encode_clock (
    id boolean DEFAULT true NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    steady_since timestamp with time zone NOT NULL,
    CONSTRAINT encode_clock_id_check CHECK (id)
);

CREATE UNLOGGED TABLE encode_idle (
    queue text NOT NULL,
    owner text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL
);

CREATE UNLOGGED TABLE encode_share (
    queue text NOT NULL,
    library_id bigint NOT NULL,
    virtual_time double precision NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE encode_speed (
    kind text NOT NULL,
    sec_per_weight double precision NOT NULL
);

CREATE TABLE image (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    storage_key text NOT NULL,
    use text NOT NULL,
    size_bytes bigint NOT NULL,
    CONSTRAINT picture_size_bytes_check CHECK ((size_bytes > 0)),
    CONSTRAINT picture_use_check CHECK ((use = ANY (ARRAY['thumbnail'::text, 'preview'::text])))
);

CREATE TABLE installation (
    singleton boolean DEFAULT true NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    sequence bigint DEFAULT 0 NOT NULL,
    held_until timestamp with time zone,
    held_sequence bigint,
    CONSTRAINT installation_singleton_check CHECK (singleton)
);

CREATE TABLE last_backup (
    singleton boolean DEFAULT true NOT NULL,
    made_at timestamp with time zone NOT NULL,
    objects bigint NOT NULL,
    bytes bigint NOT NULL,
    place text NOT NULL,
    CONSTRAINT last_backup_singleton_check CHECK (singleton)
);

CREATE TABLE library (
    id bigint NOT NULL,
    name text NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    api_key_sealed bytea NOT NULL,
    api_key_hash bytea NOT NULL,
    read_only_key_sealed bytea NOT NULL,
    read_only_key_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    modified_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone
);

ALTER TABLE library ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME library_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE library_video_count (
    library_id bigint NOT NULL,
    slot smallint NOT NULL,
    videos bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE licence_count (
    library_id bigint NOT NULL,
    day date NOT NULL,
    issued bigint NOT NULL
);

CREATE TABLE live_bitrate (
    stream_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    samples jsonb NOT NULL
);

CREATE TABLE live_lease (
    stream_id uuid NOT NULL,
    owner uuid,
    feed_url text,
    epoch bigint DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    session bigint DEFAULT 0 NOT NULL,
    kicked_session bigint DEFAULT 0 NOT NULL,
    primary_media_at timestamp with time zone,
    backup_media_at timestamp with time zone,
    first_media_at timestamp with time zone,
    bitrate jsonb,
    ladder jsonb,
    relays jsonb
)
WITH (fillfactor='50');

CREATE TABLE live_node (
    id uuid NOT NULL,
    region text NOT NULL,
    feed_url text NOT NULL,
    endpoints jsonb DEFAULT '{}'::jsonb NOT NULL,
    capacity integer NOT NULL,
    publishers integer DEFAULT 0 NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE live_period (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    number integer NOT NULL,
    timeline_id uuid NOT NULL,
    first_sequence bigint NOT NULL,
    is_preview boolean NOT NULL,
    parameters text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    clock jsonb,
    start_ms bigint
);

CREATE TABLE live_stream (
    library_id bigint NOT NULL,
    id uuid NOT NULL,
    title text NOT NULL,
    description text,
    category text,
    collection_id uuid,
    is_public boolean DEFAULT true NOT NULL,
    state text NOT NULL,
    state_reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    scheduled_start_at timestamp with time zone,
    scheduled_end_at timestamp with time zone,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    duration_ms bigint,
    key_sealed bytea NOT NULL,
    key_hash bytea NOT NULL,
    dvr_enabled boolean DEFAULT false NOT NULL,
    dvr_window_sec integer,
    record_vod boolean DEFAULT false NOT NULL,
    available_resolutions text NOT NULL,
    width_px integer,
    height_px integer,
    frame_rate double precision,
    ingest_region text NOT NULL,
    peak_viewers integer DEFAULT 0 NOT NULL,
    viewer_seconds bigint DEFAULT 0 NOT NULL,
    thumbnail_file_name text,
    thumbnail_key text,
    thumbnail_updated_at timestamp with time zone,
    countdown_enabled boolean,
    relays_sealed bytea,
    trailer_video_id text,
    rungs_due_at timestamp with time zone,
    CONSTRAINT live_stream_available_resolutions_check CHECK ((available_resolutions <> ''::text)),
    CONSTRAINT live_stream_dvr_window_sec_check CHECK (((dvr_window_sec >= 1) AND (dvr_window_sec <= 43200))),
    CONSTRAINT live_stream_state_check CHECK ((state = ANY (ARRAY['created'::text, 'scheduled'::text, 'preview'::text, 'running'::text, 'ended'::text, 'vod-processing'::text, 'error'::text]))),
    CONSTRAINT live_stream_title_check CHECK ((title <> ''::text))
);

CREATE TABLE live_thumbnail (
    stream_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    storage_key text NOT NULL,
    size_bytes bigint NOT NULL
);

CREATE TABLE media (
    library_id bigint NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    title text NOT NULL,
    description text,
    category text,
    collection_id uuid,
    is_public boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    state text NOT NULL,
    state_since timestamp with time zone DEFAULT now() NOT NULL,
    state_reason text,
    lease_owner text,
    lease_until timestamp with time zone,
    process_attempt integer DEFAULT 0 NOT NULL,
    revision bigint DEFAULT 0 NOT NULL,
    upload_options jsonb DEFAULT '{}'::jsonb NOT NULL,
    thumbnail_time_ms integer,
    source_key text,
    source_bytes bigint,
    source_sha256 bytea,
    facts jsonb,
    duration_ms bigint DEFAULT 0 NOT NULL,
    width_px integer DEFAULT 0 NOT NULL,
    height_px integer DEFAULT 0 NOT NULL,
    frame_rate double precision DEFAULT 0 NOT NULL,
    rotation_deg integer,
    encode_progress integer DEFAULT 0 NOT NULL,
    storage_bytes bigint DEFAULT 0 NOT NULL,
    thumbnail_key text,
    thumbnail_bytes bigint DEFAULT 0 NOT NULL,
    thumbnail_file_name text DEFAULT 'thumbnail.jpg'::text NOT NULL,
    thumbnail_count integer DEFAULT 0 NOT NULL,
    thumbnail_blurhash text,
    messages jsonb DEFAULT '[]'::jsonb NOT NULL,
    meta_tags jsonb DEFAULT '[]'::jsonb NOT NULL,
    chapters jsonb DEFAULT '[]'::jsonb NOT NULL,
    moments jsonb DEFAULT '[]'::jsonb NOT NULL,
    captions jsonb DEFAULT '[]'::jsonb NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    watch_sec_total bigint DEFAULT 0 NOT NULL,
    caption_versions jsonb DEFAULT '{}'::jsonb NOT NULL,
    thumbnail_width_px integer,
    thumbnail_height_px integer,
    process_tries integer DEFAULT 0 NOT NULL,
    images jsonb,
    replace_until timestamp with time zone,
    replaced jsonb,
    leaves_original boolean DEFAULT false NOT NULL,
    title_folded text GENERATED ALWAYS AS (lower("left"(title, 600))) STORED NOT NULL COLLATE pg_catalog."C",
    is_incomplete boolean DEFAULT false NOT NULL,
    encode_done double precision DEFAULT 0 NOT NULL,
    encode_total double precision DEFAULT 0 NOT NULL,
    title_start text GENERATED ALWAYS AS ("left"(title, 200)) STORED NOT NULL,
    smart jsonb,
    trashed_at timestamp with time zone,
    trashed_from uuid,
    audio_tracks jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT media_state_check CHECK ((state = ANY (ARRAY['created'::text, 'uploaded'::text, 'processing'::text, 'transcoding'::text, 'finished'::text, 'failed'::text, 'upload-failed'::text, 'jit-segmenting'::text, 'jit-ready'::text]))),
    CONSTRAINT media_type_check CHECK ((type = ANY (ARRAY['video'::text, 'live'::text, 'trash'::text])))
);

CREATE TABLE media_heat (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    bucket_sec integer NOT NULL,
    sessions bigint DEFAULT 0 NOT NULL,
    counts bytea NOT NULL,
    reached bytea DEFAULT '\x'::bytea NOT NULL,
    reached_sessions bigint DEFAULT 0 NOT NULL
);

CREATE TABLE merge_due (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    rendition_id uuid NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE orphan (
    kind text NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    size_bytes bigint NOT NULL,
    modified_at timestamp with time zone NOT NULL,
    found_at timestamp with time zone DEFAULT now() NOT NULL,
    kept_at timestamp with time zone,
    CONSTRAINT orphan_kind_check CHECK ((kind = ANY (ARRAY['object'::text, 'upload'::text])))
);

CREATE TABLE orphan_sweep (
    singleton boolean DEFAULT true NOT NULL,
    after_key text DEFAULT ''::text NOT NULL,
    objects bigint DEFAULT 0 NOT NULL,
    last_objects bigint,
    CONSTRAINT orphan_sweep_singleton_check CHECK (singleton)
);

CREATE TABLE pull_zone (
    id bigint NOT NULL,
    library_id bigint NOT NULL,
    name text NOT NULL,
    security_key_sealed bytea NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    purged_at timestamp with time zone,
    previous_key_sealed bytea,
    previous_key_until timestamp with time zone,
    CONSTRAINT previous_key_whole CHECK (((previous_key_sealed IS NULL) = (previous_key_until IS NULL)))
);

CREATE TABLE pull_zone_hostname (
    id bigint NOT NULL,
    pull_zone_id bigint NOT NULL,
    hostname text NOT NULL
);

ALTER TABLE pull_zone_hostname ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME pull_zone_hostname_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE pull_zone ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME pull_zone_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE rendition (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    id uuid NOT NULL,
    timeline_id uuid NOT NULL,
    kind text NOT NULL,
    origin text NOT NULL,
    codec text NOT NULL,
    rung integer,
    language text DEFAULT 'und'::text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    is_default boolean DEFAULT true NOT NULL,
    key_group text NOT NULL,
    state text NOT NULL,
    state_reason text,
    active boolean DEFAULT false NOT NULL,
    retired_at timestamp with time zone,
    plan jsonb NOT NULL,
    timescale integer NOT NULL,
    width_px integer,
    height_px integer,
    codec_string text,
    init bytea,
    init_sha256 bytea,
    planned_segments bytea,
    storage_bytes bigint DEFAULT 0 NOT NULL,
    on_demand boolean DEFAULT false NOT NULL,
    iv_prefix bigint NOT NULL,
    CONSTRAINT rendition_key_group_check CHECK ((key_group = ANY (ARRAY['audio'::text, 'sd'::text, 'hd'::text]))),
    CONSTRAINT rendition_kind_check CHECK ((kind = ANY (ARRAY['video'::text, 'audio'::text]))),
    CONSTRAINT rendition_origin_check CHECK ((origin = ANY (ARRAY['encode'::text, 'pass-through'::text]))),
    CONSTRAINT rendition_state_check CHECK ((state = ANY (ARRAY['building'::text, 'finished'::text, 'failed'::text])))
);

ALTER TABLE rendition ALTER COLUMN iv_prefix ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME rendition_lane_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE retired_object (
    storage_key text NOT NULL,
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    size_bytes bigint NOT NULL,
    retired_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE scrub (
    id integer DEFAULT 1 NOT NULL,
    library_id bigint,
    media_id uuid,
    rendition_id uuid,
    first_segment integer,
    round_began_at timestamp with time zone DEFAULT now() NOT NULL,
    objects_seen bigint DEFAULT 0 NOT NULL,
    bytes_seen bigint DEFAULT 0 NOT NULL,
    objects_damaged bigint DEFAULT 0 NOT NULL,
    objects_unread bigint DEFAULT 0 NOT NULL,
    CONSTRAINT scrub_id_check CHECK ((id = 1))
);

CREATE UNLOGGED TABLE segment_request (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    rendition_id uuid NOT NULL,
    segment integer NOT NULL,
    edge_id uuid NOT NULL,
    ahead_segments integer NOT NULL,
    is_awaited boolean NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    wanted_until timestamp with time zone NOT NULL,
    CONSTRAINT jit_wish_ahead_segments_check CHECK ((ahead_segments >= 0)),
    CONSTRAINT jit_wish_segment_check CHECK ((segment >= 0))
);

CREATE TABLE shield_event (
    day date NOT NULL,
    zone_id bigint NOT NULL,
    seq bigint NOT NULL,
    log_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    rule_id text NOT NULL,
    rule_group text NOT NULL,
    severity text NOT NULL,
    status text NOT NULL,
    method text NOT NULL,
    country text NOT NULL,
    asn text NOT NULL,
    server_zone text NOT NULL,
    log text NOT NULL
)
PARTITION BY RANGE (day);

CREATE SEQUENCE shield_event_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE shield_settings (
    id integer NOT NULL,
    settings jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT shield_settings_id_check CHECK ((id = 0))
);

CREATE TABLE sign_in_link (
    hash bytea NOT NULL,
    key_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE speech_run (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    state text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    done_sec double precision DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    language text,
    run integer DEFAULT 0 NOT NULL,
    CONSTRAINT speech_run_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'finished'::text, 'failed'::text, 'cancelled'::text])))
);

CREATE TABLE speech_span (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    start_ms integer NOT NULL,
    identity bytea NOT NULL,
    language text NOT NULL,
    words jsonb NOT NULL
);

CREATE TABLE spoken_block (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    srclang text NOT NULL,
    first_ms integer NOT NULL,
    start_ms integer[] NOT NULL,
    end_ms integer[] NOT NULL,
    cues text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE stat_day (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    day date NOT NULL,
    kind text NOT NULL,
    value text NOT NULL,
    sessions bigint DEFAULT 0 NOT NULL,
    amount bigint DEFAULT 0 NOT NULL
);

CREATE TABLE stat_hour (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    country text NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    watch_sec bigint DEFAULT 0 NOT NULL,
    estimated_views bigint DEFAULT 0 NOT NULL,
    estimated_watch_sec bigint DEFAULT 0 NOT NULL
);

CREATE TABLE stat_library_hour (
    library_id bigint NOT NULL,
    hour timestamp with time zone NOT NULL,
    country text NOT NULL,
    views bigint DEFAULT 0 NOT NULL,
    watch_sec bigint DEFAULT 0 NOT NULL,
    estimated_views bigint DEFAULT 0 NOT NULL,
    estimated_watch_sec bigint DEFAULT 0 NOT NULL
);

CREATE TABLE storage_move (
    id integer DEFAULT 1 NOT NULL,
    objects_left bigint NOT NULL,
    bytes_left bigint NOT NULL,
    uploads_left bigint NOT NULL,
    noted_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT storage_move_id_check CHECK ((id = 1))
);

CREATE TABLE timeline (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    id uuid NOT NULL,
    grid text NOT NULL,
    timescale integer NOT NULL,
    start_ticks bigint[] NOT NULL,
    end_ticks bigint NOT NULL,
    rate_num integer,
    rate_den integer,
    segment_frames integer,
    total_frames bigint,
    active boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT timeline_grid_check CHECK ((grid = ANY (ARRAY['frames'::text, 'source'::text]))),
    CONSTRAINT timeline_timescale_check CHECK ((timescale > 0))
);

CREATE TABLE upload (
    id uuid NOT NULL,
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    method text NOT NULL,
    length_bytes bigint,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
    lease_owner text,
    lease_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    concat text,
    part_of uuid,
    part_number integer,
    CONSTRAINT upload_door_check CHECK ((method = ANY (ARRAY['put'::text, 'tus'::text, 'fetch'::text]))),
    CONSTRAINT upload_state_check CHECK ((state = ANY (ARRAY['open'::text, 'complete'::text, 'closing'::text])))
);

CREATE TABLE view_evidence (
    viewer_id uuid NOT NULL,
    delivered_ms bigint DEFAULT 0 NOT NULL,
    used_sec bigint DEFAULT 0 NOT NULL,
    passes integer DEFAULT 0 NOT NULL,
    views integer DEFAULT 0 NOT NULL,
    window_ms bigint DEFAULT 0 NOT NULL,
    first_ms bigint NOT NULL,
    seen_ms bigint NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE view_session (
    start_hour timestamp with time zone NOT NULL,
    session_id uuid NOT NULL,
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    sequence integer NOT NULL,
    country text DEFAULT ''::text NOT NULL,
    device text DEFAULT ''::text NOT NULL,
    referrer_host text DEFAULT ''::text NOT NULL,
    watched_sec integer[] DEFAULT '{}'::integer[] NOT NULL,
    heat bytea DEFAULT '\x'::bytea NOT NULL,
    startup_ms integer,
    stall_count integer DEFAULT 0 NOT NULL,
    stall_ms integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    rung_sec jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_estimate boolean DEFAULT false NOT NULL,
    is_sketched boolean DEFAULT false NOT NULL,
    verdict text DEFAULT 'counted'::text NOT NULL,
    discarded_sec integer DEFAULT 0 NOT NULL
)
PARTITION BY RANGE (start_hour);

CREATE TABLE viewer_salt (
    day date NOT NULL,
    salt bytea NOT NULL
);

CREATE TABLE viewer_sketch (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    day date NOT NULL,
    registers bytea NOT NULL
);

CREATE TABLE webhook_event (
    id uuid NOT NULL,
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    status integer NOT NULL,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_answer text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    "position" bigint NOT NULL,
    give_up_at timestamp with time zone NOT NULL,
    is_incomplete boolean DEFAULT false NOT NULL,
    CONSTRAINT webhook_event_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
);

ALTER TABLE webhook_event ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME webhook_event_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE webhook_line (
    library_id bigint NOT NULL,
    media_id uuid NOT NULL,
    next_attempt_at timestamp with time zone DEFAULT now() NOT NULL,
    claim uuid
);
ALTER TABLE ONLY access_key ADD CONSTRAINT access_key_hash_key UNIQUE (hash);
ALTER TABLE ONLY access_key ADD CONSTRAINT access_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY attempt_log ADD CONSTRAINT attempt_log_pkey PRIMARY KEY (library_id, media_id, id);
ALTER TABLE ONLY audit_line ADD CONSTRAINT audit_line_pkey PRIMARY KEY (id);
ALTER TABLE ONLY bulk_item ADD CONSTRAINT bulk_item_pkey PRIMARY KEY (bulk_id, place);
ALTER TABLE ONLY bulk_operation ADD CONSTRAINT bulk_operation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY captions_unread ADD CONSTRAINT captions_unread_pkey PRIMARY KEY (library_id, media_id);
ALTER TABLE ONLY chunk ADD CONSTRAINT chunk_no_overlap EXCLUDE USING gist (rendition_id WITH =, int4range(first_segment, (first_segment + segment_count)) WITH &&);
ALTER TABLE ONLY chunk ADD CONSTRAINT chunk_pkey PRIMARY KEY (library_id, media_id, rendition_id, first_segment);
ALTER TABLE ONLY collection ADD CONSTRAINT collection_pkey PRIMARY KEY (library_id, id);
ALTER TABLE ONLY composition ADD CONSTRAINT composition_pkey PRIMARY KEY (library_id, media_id);
ALTER TABLE ONLY dashboard_session ADD CONSTRAINT dashboard_session_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY delivered_hour ADD CONSTRAINT delivered_hour_pkey PRIMARY KEY (library_id, media_id, hour, writer);
ALTER TABLE ONLY drm_package ADD CONSTRAINT drm_package_pkey PRIMARY KEY (library_id, media_id, number);
ALTER TABLE ONLY encode_clock ADD CONSTRAINT encode_clock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY encode_share ADD CONSTRAINT encode_share_pkey PRIMARY KEY (queue, library_id);
ALTER TABLE ONLY encode_speed ADD CONSTRAINT encode_speed_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY encode_task ADD CONSTRAINT encode_work_id_key UNIQUE (id);
ALTER TABLE ONLY encode_task ADD CONSTRAINT encode_work_pkey PRIMARY KEY (library_id, media_id, id);
ALTER TABLE ONLY installation ADD CONSTRAINT installation_pkey PRIMARY KEY (singleton);
ALTER TABLE ONLY segment_request ADD CONSTRAINT jit_wish_pkey PRIMARY KEY (rendition_id, segment, edge_id);
ALTER TABLE ONLY last_backup ADD CONSTRAINT last_backup_pkey PRIMARY KEY (singleton);
ALTER TABLE ONLY library ADD CONSTRAINT library_api_key_hash_key UNIQUE (api_key_hash);
ALTER TABLE ONLY library ADD CONSTRAINT library_pkey PRIMARY KEY (id);
ALTER TABLE ONLY library ADD CONSTRAINT library_read_only_key_hash_key UNIQUE (read_only_key_hash);
ALTER TABLE ONLY library_video_count ADD CONSTRAINT library_video_count_pkey PRIMARY KEY (library_id, slot);
ALTER TABLE ONLY licence_count ADD CONSTRAINT licence_count_pkey PRIMARY KEY (library_id, day);
ALTER TABLE ONLY live_bitrate ADD CONSTRAINT live_bitrate_pkey PRIMARY KEY (stream_id, at);
ALTER TABLE ONLY live_lease ADD CONSTRAINT live_lease_pkey PRIMARY KEY (stream_id);
ALTER TABLE ONLY live_node ADD CONSTRAINT live_node_pkey PRIMARY KEY (id);
ALTER TABLE ONLY live_period ADD CONSTRAINT live_period_pkey PRIMARY KEY (library_id, media_id, number);
ALTER TABLE ONLY live_stream ADD CONSTRAINT live_stream_id_key UNIQUE (id);
ALTER TABLE ONLY live_stream ADD CONSTRAINT live_stream_key_hash_key UNIQUE (key_hash);
ALTER TABLE ONLY live_stream ADD CONSTRAINT live_stream_pkey PRIMARY KEY (library_id, id);
ALTER TABLE ONLY live_thumbnail ADD CONSTRAINT live_thumbnail_pkey PRIMARY KEY (stream_id, at);
ALTER TABLE ONLY media_heat ADD CONSTRAINT media_heat_pkey PRIMARY KEY (library_id, media_id);
ALTER TABLE ONLY media ADD CONSTRAINT media_id_key UNIQUE (id);
ALTER TABLE ONLY media ADD CONSTRAINT media_pkey PRIMARY KEY (library_id, id);
ALTER TABLE ONLY merge_due ADD CONSTRAINT merge_due_pkey PRIMARY KEY (rendition_id);
ALTER TABLE ONLY orphan ADD CONSTRAINT orphan_pkey PRIMARY KEY (kind, name);
ALTER TABLE ONLY orphan_sweep ADD CONSTRAINT orphan_sweep_pkey PRIMARY KEY (singleton);
ALTER TABLE ONLY image ADD CONSTRAINT picture_pkey PRIMARY KEY (library_id, media_id, storage_key);
ALTER TABLE ONLY pull_zone_hostname ADD CONSTRAINT pull_zone_hostname_hostname_key UNIQUE (hostname);
ALTER TABLE ONLY pull_zone_hostname ADD CONSTRAINT pull_zone_hostname_pkey PRIMARY KEY (id);
ALTER TABLE ONLY pull_zone ADD CONSTRAINT pull_zone_library_id_key UNIQUE (library_id);
ALTER TABLE ONLY pull_zone ADD CONSTRAINT pull_zone_name_key UNIQUE (name);
ALTER TABLE ONLY pull_zone ADD CONSTRAINT pull_zone_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rendition ADD CONSTRAINT rendition_id_key UNIQUE (id);
ALTER TABLE ONLY rendition ADD CONSTRAINT rendition_pkey PRIMARY KEY (library_id, media_id, id);
ALTER TABLE ONLY retired_object ADD CONSTRAINT retired_object_pkey PRIMARY KEY (storage_key);
ALTER TABLE ONLY scrub ADD CONSTRAINT scrub_pkey PRIMARY KEY (id);
ALTER TABLE ONLY shield_event ADD CONSTRAINT shield_event_pkey PRIMARY KEY (day, zone_id, seq);
ALTER TABLE ONLY shield_settings ADD CONSTRAINT shield_settings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY sign_in_link ADD CONSTRAINT sign_in_link_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY speech_run ADD CONSTRAINT speech_run_pkey PRIMARY KEY (library_id, media_id);
ALTER TABLE ONLY speech_span ADD CONSTRAINT speech_span_pkey PRIMARY KEY (library_id, media_id, start_ms);
ALTER TABLE ONLY spoken_block ADD CONSTRAINT spoken_block_pkey PRIMARY KEY (library_id, media_id, srclang, first_ms);
ALTER TABLE ONLY stat_day ADD CONSTRAINT stat_day_pkey PRIMARY KEY (library_id, media_id, day, kind, value);
ALTER TABLE ONLY stat_hour ADD CONSTRAINT stat_hour_pkey PRIMARY KEY (library_id, media_id, hour, country);
ALTER TABLE ONLY stat_library_hour ADD CONSTRAINT stat_library_hour_pkey PRIMARY KEY (library_id, hour, country);
ALTER TABLE ONLY storage_move ADD CONSTRAINT storage_move_pkey PRIMARY KEY (id);
ALTER TABLE ONLY timeline ADD CONSTRAINT timeline_pkey PRIMARY KEY (library_id, media_id, id);
ALTER TABLE ONLY upload ADD CONSTRAINT upload_pkey PRIMARY KEY (id);
ALTER TABLE ONLY view_evidence ADD CONSTRAINT view_evidence_pkey PRIMARY KEY (viewer_id);
ALTER TABLE ONLY view_session ADD CONSTRAINT view_session_pkey PRIMARY KEY (start_hour, session_id);
ALTER TABLE ONLY viewer_salt ADD CONSTRAINT viewer_salt_pkey PRIMARY KEY (day);
ALTER TABLE ONLY viewer_sketch ADD CONSTRAINT viewer_sketch_pkey PRIMARY KEY (library_id, media_id, day);
ALTER TABLE ONLY webhook_event ADD CONSTRAINT webhook_event_pkey PRIMARY KEY (id);
ALTER TABLE ONLY webhook_line ADD CONSTRAINT webhook_line_pkey PRIMARY KEY (library_id, media_id);
CREATE INDEX access_key_library ON access_key USING btree (library_id);
CREATE INDEX audit_line_at ON audit_line USING btree (at);
CREATE INDEX audit_line_library ON audit_line USING btree (library_id, id DESC);
CREATE INDEX bulk_item_failed ON bulk_item USING btree (bulk_id, place) WHERE (state = 'failed'::text);
CREATE INDEX bulk_item_open ON bulk_item USING btree (bulk_id, place) WHERE (state = 'waiting'::text);
CREATE INDEX bulk_operation_library ON bulk_operation USING btree (library_id, created_at DESC);
CREATE INDEX dashboard_session_expires_at_idx ON dashboard_session USING btree (expires_at);
CREATE INDEX dashboard_session_key_hash_created_at_idx ON dashboard_session USING btree (key_hash, created_at);
CREATE INDEX delivered_hour_unmerged ON delivered_hour USING btree (hour) WHERE (writer <> '00000000-0000-0000-0000-000000000000'::uuid);
CREATE INDEX drm_package_retired ON drm_package USING btree (retired_at) WHERE (retired_at IS NOT NULL);
CREATE INDEX encode_share_order ON encode_share USING btree (queue, virtual_time, library_id);
CREATE UNIQUE INDEX encode_task_segment ON encode_task USING btree ((rendition_ids[1]), from_segment) WHERE (kind = 'segment'::text);
CREATE INDEX encode_work_claim ON encode_task USING btree (queue, library_id, priority DESC, created_at, id) WHERE ((state = 'waiting'::text) AND is_ready);
CREATE INDEX encode_work_later ON encode_task USING btree (ready_at) WHERE ((state = 'waiting'::text) AND (NOT is_ready));
CREATE INDEX encode_work_media ON encode_task USING btree (media_id);
CREATE INDEX encode_work_running ON encode_task USING btree (queue, library_id) WHERE (state = 'running'::text);
CREATE INDEX jit_wish_end ON segment_request USING btree (wanted_until);
CREATE INDEX live_stream_by_date ON live_stream USING btree (library_id, created_at DESC, id DESC);
CREATE INDEX live_stream_rungs_due ON live_stream USING btree (rungs_due_at) WHERE (rungs_due_at IS NOT NULL);
CREATE INDEX live_stream_unsealed ON live_stream USING btree (ended_at) WHERE (state = 'vod-processing'::text);
CREATE INDEX media_by_collection ON media USING btree (library_id, collection_id, created_at DESC, id DESC) WHERE (collection_id IS NOT NULL);
CREATE INDEX media_by_date ON media USING btree (library_id, type, created_at DESC, id DESC);
CREATE INDEX media_by_length ON media USING btree (library_id, type, duration_ms DESC, id DESC);
CREATE INDEX media_by_size ON media USING btree (library_id, type, storage_bytes DESC, id DESC);
CREATE INDEX media_by_state ON media USING btree (library_id, state, created_at DESC, id DESC) WHERE ((type = 'video'::text) AND (state <> 'finished'::text));
CREATE INDEX media_by_title ON media USING btree (library_id, type, title_start, id);
CREATE INDEX media_by_views ON media USING btree (library_id, type, views DESC, id DESC);
CREATE INDEX media_incomplete ON media USING btree (library_id, created_at DESC, id DESC) WHERE is_incomplete;
CREATE INDEX media_leaves_original ON media USING btree (state_since) WHERE leaves_original;
CREATE INDEX media_smart_open ON media USING btree (library_id) WHERE (smart @? '$.*?(@."state" == "queued" || @."state" == "in-progress")'::jsonpath);
CREATE INDEX media_tags ON media USING gin (meta_tags jsonb_path_ops);
CREATE INDEX media_title_by_date ON media USING btree (library_id, type, created_at DESC, id DESC) INCLUDE (title_folded);
CREATE INDEX media_title_pairs ON media USING gin (letters_and_pairs(title_folded)) WITH (gin_pending_list_limit='512');
CREATE INDEX media_title_trigrams ON media USING gin (title_folded gin_trgm_ops);
CREATE INDEX media_trash ON media USING btree (trashed_at, id) WHERE (type = 'trash'::text);
CREATE INDEX media_unfinished ON media USING btree (state, state_since) WHERE (state <> ALL (ARRAY['created'::text, 'finished'::text, 'failed'::text, 'upload-failed'::text]));
CREATE INDEX media_uploaded ON media USING btree (library_id, state_since, id) WHERE ((type = 'video'::text) AND (state = 'uploaded'::text));
CREATE INDEX media_waiting ON media USING btree (library_id, state_since, id) WHERE ((type = 'video'::text) AND (state = ANY (ARRAY['uploaded'::text, 'processing'::text])));
CREATE INDEX media_without_images ON media USING btree (created_at) WHERE ((type = 'video'::text) AND (state = 'finished'::text) AND (images IS NULL) AND (width_px > 0));
CREATE INDEX merge_due_order ON merge_due USING btree (due_at);
CREATE INDEX merge_due_rendition ON merge_due USING btree (library_id, media_id, rendition_id);
CREATE INDEX orphan_due ON orphan USING btree (found_at) WHERE (kept_at IS NULL);
CREATE INDEX pull_zone_hostname_zone ON pull_zone_hostname USING btree (pull_zone_id);
CREATE INDEX rendition_retired ON rendition USING btree (retired_at) WHERE (retired_at IS NOT NULL);
CREATE INDEX retired_object_age ON retired_object USING btree (retired_at);
CREATE INDEX retired_object_media ON retired_object USING btree (media_id);
CREATE INDEX spoken_block_newest ON spoken_block USING btree (library_id, created_at DESC, media_id, first_ms);
CREATE INDEX spoken_block_trigrams ON spoken_block USING gin (cues gin_trgm_ops);
CREATE INDEX upload_expiry ON upload USING btree (expires_at);
CREATE INDEX upload_media ON upload USING btree (library_id, media_id);
CREATE INDEX upload_part_of ON upload USING btree (part_of) WHERE (part_of IS NOT NULL);
CREATE INDEX view_evidence_seen ON view_evidence USING btree (seen_ms);
CREATE INDEX view_session_library ON ONLY view_session USING btree (library_id, start_hour);
CREATE INDEX view_session_media ON ONLY view_session USING btree (library_id, media_id, start_hour);
CREATE INDEX webhook_event_line ON webhook_event USING btree (library_id, media_id, "position") WHERE (state = 'pending'::text);
CREATE INDEX webhook_event_log ON webhook_event USING btree (library_id, "position" DESC);
CREATE INDEX webhook_event_settled ON webhook_event USING btree (settled_at) WHERE (state <> 'pending'::text);
CREATE INDEX webhook_line_claim ON webhook_line USING btree (claim) WHERE (claim IS NOT NULL);
CREATE INDEX webhook_line_due ON webhook_line USING btree (library_id, next_attempt_at, media_id);
CREATE TRIGGER access_key_ended AFTER DELETE OR UPDATE OF revoked_at, expires_at, hash ON access_key FOR EACH STATEMENT EXECUTE FUNCTION notify_keys();
CREATE TRIGGER audit_line_rows BEFORE DELETE OR UPDATE ON audit_line FOR EACH ROW EXECUTE FUNCTION audit_line_guard();
CREATE TRIGGER audit_line_table BEFORE TRUNCATE ON audit_line FOR EACH STATEMENT EXECUTE FUNCTION audit_line_guard();
CREATE TRIGGER captions_changed AFTER UPDATE OF captions ON media FOR EACH ROW WHEN ((old.captions IS DISTINCT FROM new.captions)) EXECUTE FUNCTION note_captions();
CREATE TRIGGER encode_task_inserted AFTER INSERT ON encode_task FOR EACH ROW WHEN (((new.state = 'waiting'::text) AND new.is_ready)) EXECUTE FUNCTION ready_encode_task();
CREATE TRIGGER encode_task_ready AFTER UPDATE OF state, is_ready ON encode_task FOR EACH ROW WHEN (((new.state = 'waiting'::text) AND new.is_ready AND ((old.state <> 'waiting'::text) OR (NOT old.is_ready)))) EXECUTE FUNCTION ready_encode_task();
CREATE TRIGGER hostname_policy AFTER INSERT OR DELETE ON pull_zone_hostname FOR EACH ROW EXECUTE FUNCTION raise_hostname_policy();
CREATE TRIGGER library_key_ended AFTER UPDATE OF api_key_hash, read_only_key_hash, deleted_at ON library FOR EACH STATEMENT EXECUTE FUNCTION notify_keys();
CREATE TRIGGER library_policy AFTER UPDATE OF settings, api_key_sealed, deleted_at ON library FOR EACH ROW WHEN ((((old.settings IS DISTINCT FROM new.settings) OR (old.api_key_sealed IS DISTINCT FROM new.api_key_sealed)) OR (old.deleted_at IS DISTINCT FROM new.deleted_at))) EXECUTE FUNCTION raise_library_policy();
CREATE TRIGGER media_progress_begins AFTER INSERT OR DELETE ON media FOR EACH ROW EXECUTE FUNCTION tell_media_progress();
CREATE TRIGGER media_progress_changes AFTER UPDATE ON media FOR EACH ROW WHEN ((((old.state IS DISTINCT FROM new.state) OR (old.encode_progress IS DISTINCT FROM new.encode_progress)) OR (old.revision IS DISTINCT FROM new.revision))) EXECUTE FUNCTION tell_media_progress();
CREATE TRIGGER media_uploaded_changed AFTER UPDATE OF state ON media FOR EACH ROW WHEN (((new.type = 'video'::text) AND (new.state = 'uploaded'::text) AND (old.state <> 'uploaded'::text))) EXECUTE FUNCTION share_upload();
CREATE TRIGGER media_uploaded_inserted AFTER INSERT ON media FOR EACH ROW WHEN (((new.type = 'video'::text) AND (new.state = 'uploaded'::text))) EXECUTE FUNCTION share_upload();
CREATE TRIGGER pull_zone_policy BEFORE UPDATE ON pull_zone FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION raise_policy();
CREATE TRIGGER session_ended AFTER DELETE ON dashboard_session FOR EACH STATEMENT EXECUTE FUNCTION notify_keys();
ALTER TABLE ONLY access_key ADD CONSTRAINT access_key_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;
ALTER TABLE ONLY attempt_log ADD CONSTRAINT attempt_log_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY bulk_item ADD CONSTRAINT bulk_item_bulk_id_fkey FOREIGN KEY (bulk_id) REFERENCES bulk_operation(id) ON DELETE CASCADE;
ALTER TABLE ONLY captions_unread ADD CONSTRAINT captions_unread_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY chunk ADD CONSTRAINT chunk_library_id_media_id_rendition_id_fkey FOREIGN KEY (library_id, media_id, rendition_id) REFERENCES rendition(library_id, media_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY collection ADD CONSTRAINT collection_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;
ALTER TABLE ONLY composition ADD CONSTRAINT composition_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY drm_package ADD CONSTRAINT drm_package_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY encode_task ADD CONSTRAINT encode_work_library_id_media_id_timeline_id_fkey FOREIGN KEY (library_id, media_id, timeline_id) REFERENCES timeline(library_id, media_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY segment_request ADD CONSTRAINT jit_wish_library_id_media_id_rendition_id_fkey FOREIGN KEY (library_id, media_id, rendition_id) REFERENCES rendition(library_id, media_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY library_video_count ADD CONSTRAINT library_video_count_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;
ALTER TABLE ONLY licence_count ADD CONSTRAINT licence_count_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;
ALTER TABLE ONLY live_bitrate ADD CONSTRAINT live_bitrate_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES live_stream(id) ON DELETE CASCADE;
ALTER TABLE ONLY live_lease ADD CONSTRAINT live_lease_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES live_stream(id) ON DELETE CASCADE;
ALTER TABLE ONLY live_period ADD CONSTRAINT live_period_library_id_media_id_timeline_id_fkey FOREIGN KEY (library_id, media_id, timeline_id) REFERENCES timeline(library_id, media_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY live_stream ADD CONSTRAINT live_stream_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;
ALTER TABLE ONLY live_thumbnail ADD CONSTRAINT live_thumbnail_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES live_stream(id) ON DELETE CASCADE;
ALTER TABLE ONLY media ADD CONSTRAINT media_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id);
ALTER TABLE ONLY merge_due ADD CONSTRAINT merge_due_library_id_media_id_rendition_id_fkey FOREIGN KEY (library_id, media_id, rendition_id) REFERENCES rendition(library_id, media_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY image ADD CONSTRAINT picture_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY pull_zone_hostname ADD CONSTRAINT pull_zone_hostname_pull_zone_id_fkey FOREIGN KEY (pull_zone_id) REFERENCES pull_zone(id) ON DELETE CASCADE;
ALTER TABLE ONLY pull_zone ADD CONSTRAINT pull_zone_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;
ALTER TABLE ONLY rendition ADD CONSTRAINT rendition_library_id_media_id_timeline_id_fkey FOREIGN KEY (library_id, media_id, timeline_id) REFERENCES timeline(library_id, media_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY retired_object ADD CONSTRAINT retired_object_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY speech_run ADD CONSTRAINT speech_run_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY speech_span ADD CONSTRAINT speech_span_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY spoken_block ADD CONSTRAINT spoken_block_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY timeline ADD CONSTRAINT timeline_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY upload ADD CONSTRAINT upload_library_id_media_id_fkey FOREIGN KEY (library_id, media_id) REFERENCES media(library_id, id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_event ADD CONSTRAINT webhook_event_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;
ALTER TABLE ONLY webhook_line ADD CONSTRAINT webhook_line_library_id_fkey FOREIGN KEY (library_id) REFERENCES library(id) ON DELETE CASCADE;

INSERT INTO encode_clock (seen_at, steady_since) VALUES (now(), now());
INSERT INTO installation DEFAULT VALUES;
INSERT INTO orphan_sweep DEFAULT VALUES;
INSERT INTO shield_settings (id) VALUES (0);
