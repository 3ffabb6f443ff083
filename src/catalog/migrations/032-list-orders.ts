import { type Kysely, sql } from 'kysely';

/** Indexes for lists of videos by title, views, size and length, which were fully sorted for each page. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ORDERS).execute(db);
}

// A title may be longer than an index entry: its beginning orders all but those with the same beginning. Sizes change
// with each stored chunk and views with each batch, which then update the index; a page of 200,000 videos costs far
// more.
const ORDERS = `
  create index media_by_title on media (library_id, type, left(title, 200));
  create index media_by_views on media (library_id, type, views desc, id desc);
  create index media_by_size on media (library_id, type, storage_bytes desc, id desc);
  create index media_by_length on media (library_id, type, duration_ms desc, id desc);
`;
