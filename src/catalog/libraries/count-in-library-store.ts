import { sql } from 'kysely';
import type { Tx } from '../db.ts';

/** Number of simultaneous creations in one library above which they may wait for each other. */
const SLOTS = 16;

/**
 * Adds to (or subtracts from) a library's video count in the slot of this connection. Returns false if the library does
 * not exist.
 */
export async function countInLibrary(tx: Tx, libraryId: number, change: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into library_video_count as c (library_id, slot, videos)
    select id, pg_backend_pid() % ${SLOTS}::int, ${change}::bigint from library where id = ${libraryId}
    on conflict (library_id, slot) do update set videos = c.videos + excluded.videos`.execute(tx);
  return numAffectedRows === 1n;
}
