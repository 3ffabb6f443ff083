import { type Kysely, sql } from 'kysely';

/** Renditions whose chunks may be merged: those with single-segment chunks. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(DUE).execute(db);
}

// One row per rendition, so that the search for chunks to merge never reads those of all videos.
const DUE = `
  create table merge_due (
    library_id bigint not null,
    media_id uuid not null,
    rendition_id uuid primary key,
    due_at timestamptz not null default now(),
    foreign key (library_id, media_id, rendition_id) references rendition (library_id, media_id, id) on delete cascade
  );
  create index merge_due_order on merge_due (due_at);
  create index merge_due_rendition on merge_due (library_id, media_id, rendition_id);
  insert into merge_due (library_id, media_id, rendition_id)
    select distinct library_id, media_id, rendition_id from chunk where segment_count = 1;
`;
