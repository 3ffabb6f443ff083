import { sql } from 'kysely';
import type { MediaKey, Tx } from '../db.ts';

/**
 * Takes a video's pictures out of use, of whose file nothing is shown any more; their objects retire. A thumbnail that
 * the owner set stays. Counts no storage.
 */
export async function dropPictures(tx: Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  const isOfMedia = sql`library_id = ${libraryId} and media_id = ${mediaId}`;
  const isMadeThumbnail = sql`library_id = ${libraryId} and id = ${mediaId} and thumbnail_file_name = 'thumbnail.jpg'
    and thumbnail_key is not null`;
  await sql`
    insert into retired_object (storage_key, library_id, media_id, size_bytes)
    select storage_key, library_id, media_id, size_bytes from picture where ${isOfMedia}
    union all select thumbnail_key, library_id, id, thumbnail_bytes from media where ${isMadeThumbnail}
    on conflict do nothing
  `.execute(tx);
  await sql`delete from picture where ${isOfMedia}`.execute(tx);
  await sql`
    update media set thumbnail_key = null, thumbnail_bytes = 0, thumbnail_blurhash = null where ${isMadeThumbnail}
  `.execute(tx);
  await sql`
    update media set pictures = null, thumbnail_count = 0 where library_id = ${libraryId} and id = ${mediaId}
  `.execute(tx);
}
