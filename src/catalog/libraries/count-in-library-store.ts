import { sql } from 'kysely';
import type { Tx } from '../db.ts';

/** Number of counter rows per library. With more simultaneous creations in one library, some wait for each other. */
const SLOTS = 16;

/**
 * Adds `change` to a library's video count, in the counter row of this connection. A negative change subtracts. Returns
 * false if the library does not exist.
 */
export async function countInLibrary(tx: Tx, libraryId: number, change: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into library_video_count as c (library_id, slot, videos)
    select id, pg_backend_pid() % ${SLOTS}::int, ${change}::bigint from library where id = ${libraryId}
    on conflict (library_id, slot) do update set videos = c.videos + excluded.videos`.execute(tx);
  return numAffectedRows === 1n;
}
