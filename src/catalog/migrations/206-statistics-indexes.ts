import { type Kysely, sql } from 'kysely';

/**
 * Adds indexes, so that reads of one library's sessions, and merges of bytes sent, no longer scan those of all
 * libraries.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(INDEXES).execute(db);
}

// Index on the partitioned table: partitions of later days get theirs when they are created. Rows of the all-zero
// writer are already merged.
const INDEXES = `
  create index view_session_library on view_session (library_id, start_hour);
  create index delivered_hour_unmerged on delivered_hour (hour) where writer <> '00000000-0000-0000-0000-000000000000';
`;
