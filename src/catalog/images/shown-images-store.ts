import { sql } from 'kysely';
import type { ImageSet } from '../../media/images/image-set.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { MediaKey, Tx } from '../db.ts';
import { retireObject } from '../retired-object-store.ts';

/** A stored image, and the category of the storage report that counts it. */
export type StoredImage = { key: StorageKey; sizeBytes: number; use: 'thumbnail' | 'preview' };

/** Generated thumbnail of a video whose owner has not set one. */
export type MadeThumbnail = { key: StorageKey; sizeBytes: number; blurhash: string };

/** File name of a thumbnail that was not uploaded by the owner. */
const OWN_NAME = 'thumbnail.jpg';
const ROWS_AT_ONCE = 500;

/** Retires a video's images, because its file is no longer shown. A thumbnail set by the owner is kept. */
export async function dropImages(tx: Tx, key: MediaKey): Promise<void> {
  await replaceImages(tx, key, { set: null, objects: [] });
  await showThumbnail(tx, key, null);
}

/**
 * Replaces the images that are shown, and retires the objects of earlier ones. The caller must recalculate the stored
 * bytes afterwards.
 */
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

/**
 * Replaces the thumbnail that is shown with a generated one, or removes it. Returns false and changes nothing if the
 * owner has set a thumbnail.
 */
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
