import { type Kysely, sql } from 'kysely';

/**
 * Schema for captions, custom thumbnails, re-encodes and progress: unique versions of captions, the size of a
 * thumbnail, objects that are kept for a while after nothing references them, a count of planning attempts in addition
 * to their fence, and a channel that reports every change of a video's state.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(COLUMNS).execute(db);
  await sql.raw(RETIRED_OBJECTS).execute(db);
  await sql.raw(PROGRESS).execute(db);
}

const COLUMNS = `
  alter table media
    add column caption_versions jsonb not null default '{}',
    add column thumbnail_width_px integer,
    add column thumbnail_height_px integer,
    add column process_tries integer not null default 0;
`;

const RETIRED_OBJECTS = `
  create table retired_object (
    storage_key text primary key,
    library_id bigint not null,
    media_id uuid not null,
    size_bytes bigint not null,
    retired_at timestamptz not null default now(),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
  create index retired_object_media on retired_object (media_id);
  create index retired_object_age on retired_object (retired_at);
`;

// Uses a trigger, because a dozen places change the state and each must report it.
const PROGRESS = `
  create function tell_media_progress() returns trigger language plpgsql as $$
  begin
    perform pg_notify('millrace_progress', case when tg_op = 'DELETE'
      then old.library_id || ':' || old.id || ':deleted'
      else new.library_id || ':' || new.id || ':' || new.publication end);
    return null;
  end $$;
  create trigger media_progress_begins after insert or delete on media
    for each row execute function tell_media_progress();
  create trigger media_progress_changes after update on media for each row
    when ((old.state, old.encode_progress, old.publication)
      is distinct from (new.state, new.encode_progress, new.publication))
    execute function tell_media_progress();
`;
