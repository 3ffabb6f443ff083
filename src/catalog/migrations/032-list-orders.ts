import { type Kysely, sql } from 'kysely';

/** Indexes for lists of videos by title, views, size and length. Before, each page sorted all videos. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(ORDERS).execute(db);
}

// A title may be longer than an index entry, so only its beginning is indexed, which orders all titles that differ
// there. Each stored chunk changes a size and each batch changes views, which updates the index; sorting 200,000 videos
// for a page costs far more.
const ORDERS = `
  create index media_by_title on media (library_id, type, left(title, 200));
  create index media_by_views on media (library_id, type, views desc, id desc);
  create index media_by_size on media (library_id, type, storage_bytes desc, id desc);
  create index media_by_length on media (library_id, type, duration_ms desc, id desc);
`;
