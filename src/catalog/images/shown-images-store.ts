import { sql } from 'kysely';
import type { ImageSet } from '../../media/images/image-set.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { MediaKey, Tx } from '../db.ts';
import { retireObject } from '../retired-object-store.ts';

/** A stored image and in which sum of the storage report it counts. */
export type StoredImage = { key: StorageKey; sizeBytes: number; use: 'thumbnail' | 'preview' };

/** The image that becomes the thumbnail of a video whose owner set none. */
export type MadeThumbnail = { key: StorageKey; sizeBytes: number; blurhash: string };

/** The name of a thumbnail that its owner did not upload. */
const OWN_NAME = 'thumbnail.jpg';
const ROWS_AT_ONCE = 500;

/**
 * Takes a video's images out of use, of whose file nothing is shown any more. A thumbnail that the owner set stays.
 */
export async function dropImages(tx: Tx, key: MediaKey): Promise<void> {
  await replaceImages(tx, key, { set: null, objects: [] });
  await showThumbnail(tx, key, null);
}

/** Shows images in place of earlier ones, whose objects retire. The storage is still to be summed up. */
export async function replaceImages(
  tx: Tx,
  key: MediaKey,
  { set, objects }: { set: ImageSet | null; objects: readonly StoredImage[] },
): Promise<void> {
  await replaceObjects(tx, key, objects);
  await tx
    .updateTable('media')
    .set({ images: set === null ? null : JSON.stringify(set), thumbnail_count: set?.board.frames ?? 0 })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
}

/** Shows a made thumbnail, or none, in place of an earlier one; false where the owner has set one, which stays. */
export async function showThumbnail(tx: Tx, key: MediaKey, made: MadeThumbnail | null): Promise<boolean> {
  const before = await tx
    .selectFrom('media')
    .select(['thumbnail_key', 'thumbnail_bytes', 'thumbnail_file_name'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .executeTakeFirstOrThrow();
  if (before.thumbnail_file_name !== OWN_NAME) return false;
  if (before.thumbnail_key !== null) {
    await retireObject(tx, key, { key: before.thumbnail_key, sizeBytes: before.thumbnail_bytes });
  }
  await tx
    .updateTable('media')
    .set({
      thumbnail_key: made?.key ?? null,
      thumbnail_bytes: made?.sizeBytes ?? 0,
      thumbnail_blurhash: made?.blurhash ?? null,
    })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  return true;
}

async function replaceObjects(
  tx: Tx,
  { libraryId, mediaId }: MediaKey,
  objects: readonly StoredImage[],
): Promise<void> {
  await sql`
    insert into retired_object (storage_key, library_id, media_id, size_bytes)
    select storage_key, library_id, media_id, size_bytes from image
    where library_id = ${libraryId} and media_id = ${mediaId} on conflict do nothing
  `.execute(tx);
  await tx.deleteFrom('image').where('library_id', '=', libraryId).where('media_id', '=', mediaId).execute();
  const rows = objects.map(({ key, sizeBytes, use }) => ({
    library_id: libraryId,
    media_id: mediaId,
    storage_key: key,
    use,
    size_bytes: sizeBytes,
  }));
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    await tx
      .insertInto('image')
      .values(rows.slice(at, at + ROWS_AT_ONCE))
      .execute();
  }
}
