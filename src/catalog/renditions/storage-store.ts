import { sql } from 'kysely';
import type { MediaKey, Tx } from '../db.ts';

/** Recalculates the stored bytes of a media item and of its renditions, see `sumStorage`. */
export async function recountStorage(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    update rendition r set storage_bytes = coalesce(
      (select sum(size_bytes + idx_bytes) from chunk c where c.rendition_id = r.id and c.media_id = r.media_id
        and c.library_id = r.library_id), 0)
    where r.library_id = ${libraryId} and r.media_id = ${mediaId}
  `.execute(tx);
  await sumStorage(tx, { libraryId, mediaId });
}

/**
 * Sets the bytes of a media item to the sum of its renditions and everything else stored for it: original, thumbnail,
 * captions, files of added audio tracks, other images, and retired objects that are not deleted yet.
 */
export async function sumStorage(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    update media m set storage_bytes = case when source_key is null then 0 else coalesce(source_bytes, 0) end
      + thumbnail_bytes
      + coalesce((select sum(storage_bytes) from rendition r where r.library_id = m.library_id and r.media_id = m.id),
        0)
      + coalesce((select sum((track->>'sizeBytes')::bigint) from jsonb_array_elements(m.captions) track), 0)
      + coalesce((select sum(coalesce((track#>>'{file,sizeBytes}')::bigint, 0)
          + coalesce((track#>>'{next,sizeBytes}')::bigint, 0)) from jsonb_array_elements(m.audio_tracks) track), 0)
      + coalesce((select sum(size_bytes) from image p where p.library_id = m.library_id and p.media_id = m.id), 0)
      + coalesce((select sum(size_bytes) from retired_object o where o.library_id = m.library_id and o.media_id = m.id),
        0)
    where m.library_id = ${libraryId} and m.id = ${mediaId}
  `.execute(tx);
}
