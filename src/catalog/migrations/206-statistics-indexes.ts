import { type Kysely, sql } from 'kysely';

/**
 * What is read of one library's visits, and what is merged of bytes sent, no longer goes over those of all libraries.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(INDEXES).execute(db);
}

// An index of the partitioned table: partitions of later days get theirs as they are made. Rows of the writer of zeros
// are merged already.
const INDEXES = `
  create index view_session_library on view_session (library_id, start_hour);
  create index delivered_hour_unmerged on delivered_hour (hour) where writer <> '00000000-0000-0000-0000-000000000000';
`;
