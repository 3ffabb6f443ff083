import { sql } from 'kysely';
import type { StorageKey } from '../../ports/storage.ts';
import type { Db, MediaKey } from '../db.ts';

/** A stored rendition as fragments one after another. */
export type Fragments = { init: Buffer; chunks: StorageKey[] };

/** Finds the lowest H.264 rendition of which everything is stored; null when there is none. */
export async function loadLowestVideo(db: Db, { libraryId, mediaId }: MediaKey): Promise<Fragments | null> {
  const { rows } = await sql<Fragments>`
    select r.init, array(select c.storage_key from chunk c where c.library_id = r.library_id and c.media_id = r.media_id
      and c.rendition_id = r.id order by c.first_segment) as chunks
    from rendition r
    where r.library_id = ${libraryId} and r.media_id = ${mediaId} and r.kind = 'video' and r.active
      and r.state = 'finished' and r.init is not null and r.codec = 'h264'
    order by r.rung limit 1`.execute(db);
  return rows[0] ?? null;
}
