import { Refused } from '../../../lib/refused.ts';
import type { StorageKey } from '../../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../../db.ts';
import { inTransaction } from '../../in-transaction.ts';
import { sumStorage } from '../../renditions/storage-store.ts';
import { retireObject } from '../../retired-object-store.ts';

/** A stored JPEG and the file name under which the edge serves it. */
export type LiveThumbnail = {
  objectKey: StorageKey;
  sizeBytes: number;
  widthPx: number;
  heightPx: number;
  fileName: string;
  blurhash: string;
};

/** Thumbnails that owners set for their streams. A video made from a stream keeps them. */
export type LiveThumbnailStore = {
  /**
   * Replaces the image that is shown with a stored one. Null removes it. Throws `Refused` (`not-found`) for an unknown
   * stream.
   */
  put(key: MediaKey, thumbnail: LiveThumbnail | null): Promise<void>;
};

export function createLiveThumbnailStore(db: Db): LiveThumbnailStore {
  return { put: (key, thumbnail) => inTransaction(db, (tx) => putThumbnail(tx, key, thumbnail)) };
}

async function putThumbnail(tx: Tx, key: MediaKey, thumbnail: LiveThumbnail | null): Promise<void> {
  const changed = await tx
    .updateTable('live_stream')
    .set({
      thumbnail_key: thumbnail?.objectKey ?? null,
      thumbnail_file_name: thumbnail?.fileName ?? null,
      thumbnail_updated_at: new Date(),
    })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .returning('id')
    .executeTakeFirst();
  if (changed === undefined) {
    throw new Refused('not-found', `Live stream ${key.mediaId} in library ${key.libraryId} not found. Check the id.`);
  }
  const before = await tx
    .selectFrom('media')
    .select(['thumbnail_key', 'thumbnail_bytes'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .forUpdate()
    .executeTakeFirst();
  // The video made from the stream may already be deleted.
  if (before === undefined) return;
  if (before.thumbnail_key !== null) {
    await retireObject(tx, key, { key: before.thumbnail_key, sizeBytes: before.thumbnail_bytes });
  }
  await tx
    .updateTable('media')
    .set({
      thumbnail_key: thumbnail?.objectKey ?? null,
      thumbnail_bytes: thumbnail?.sizeBytes ?? 0,
      thumbnail_file_name: thumbnail?.fileName ?? 'thumbnail.jpg',
      thumbnail_width_px: thumbnail?.widthPx ?? null,
      thumbnail_height_px: thumbnail?.heightPx ?? null,
      thumbnail_blurhash: thumbnail?.blurhash ?? null,
    })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  await sumStorage(tx, key);
  await bumpPublication(tx, key);
}
