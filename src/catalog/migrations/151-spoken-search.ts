import { type Kysely, sql } from 'kysely';

/**
 * Search in speech: rows of about a minute of captions, and the videos whose captions are still to be read
 * (docs/decisions/151).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SPOKEN).execute(db);
}

// A change increments the number, so that readers of captions notice concurrent changes.
const SPOKEN = `
  create table spoken_block (
    library_id bigint not null,
    media_id uuid not null,
    srclang text not null,
    first_ms integer not null,
    start_ms integer[] not null,
    end_ms integer[] not null,
    cues text not null,
    created_at timestamptz not null,
    primary key (library_id, media_id, srclang, first_ms),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
  create index spoken_block_trigrams on spoken_block using gin (cues gin_trgm_ops);
  create index spoken_block_newest on spoken_block (library_id, created_at desc, media_id, first_ms);

  create table captions_unread (
    library_id bigint not null,
    media_id uuid not null,
    changes integer not null default 1,
    primary key (library_id, media_id),
    foreign key (library_id, media_id) references media (library_id, id) on delete cascade
  );
  insert into captions_unread (library_id, media_id) select library_id, id from media where captions <> '[]';
  create function note_captions() returns trigger language plpgsql as $$
    begin
      insert into captions_unread (library_id, media_id) values (new.library_id, new.id)
        on conflict (library_id, media_id) do update set changes = captions_unread.changes + 1;
      return null;
    end
  $$;
  create trigger captions_changed after update of captions on media for each row
    when (old.captions is distinct from new.captions) execute function note_captions();
`;
