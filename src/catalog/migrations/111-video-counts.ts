import { type Kysely, sql } from 'kysely';

/** Counts a library's videos in slots, so that simultaneous creations do not wait for one row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(SLOTS).execute(db);
}

// Each connection has a slot by its process number. The sum is correct in the snapshot of the statement that reads it.
// Space on each page keeps updates HOT.
const SLOTS = `
  create table library_video_count (
    library_id bigint not null references library (id) on delete cascade,
    slot smallint not null,
    videos bigint not null,
    primary key (library_id, slot)
  ) with (fillfactor = 50);
  insert into library_video_count select id, 0, video_count from library;
  alter table library drop column video_count;
  create function count_videos(of_library bigint) returns bigint language sql stable as $$
    select coalesce(sum(videos), 0)::bigint from library_video_count where library_id = of_library
  $$;
`;
