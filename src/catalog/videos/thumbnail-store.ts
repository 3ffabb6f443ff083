import type { ImageSet } from '../../media/images/image-set.ts';
import type { StorageKey } from '../../ports/storage.ts';
import { bumpPublication, type Db, type MediaKey, type Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { sumStorage } from '../renditions/storage-store.ts';
import { retireObject } from '../retired-object-store.ts';
import { unknownVideo } from '../unknown-video.ts';

/** A stored JPEG and its file name at the edge, next to `thumbnail.jpg`. */
export type OwnThumbnail = {
  objectKey: StorageKey;
  sizeBytes: number;
  widthPx: number;
  heightPx: number;
  fileName: string;
  blurhash: string;
};

/** Thumbnails set by owners. Later encodes do not change them. */
export type ThumbnailStore = {
  /**
   * Publishes a stored image as a video's thumbnail, in one transaction. Throws `Refused` (`not-found`) for an unknown
   * video.
   */
  put(key: MediaKey, thumbnail: OwnThumbnail): Promise<void>;
  /** Returns the images made of a video, including the thumbnails to choose from, or null if there are none. */
  images(key: MediaKey): Promise<ImageSet | null>;
};

export function createThumbnailStore(db: Db): ThumbnailStore {
  return {
    put: (key, thumbnail) => inTransaction(db, (tx) => putThumbnail(tx, key, thumbnail)),
    async images({ libraryId, mediaId }) {
      const row = await db
        .selectFrom('media')
        .select('images')
        .where('library_id', '=', libraryId)
        .where('id', '=', mediaId)
        .executeTakeFirst();
      return row?.images ?? null;
    },
  };
}

async function putThumbnail(tx: Tx, key: MediaKey, thumbnail: OwnThumbnail): Promise<void> {
  const before = await tx
    .selectFrom('media')
    .select(['thumbnail_key', 'thumbnail_bytes'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'video')
    .forUpdate()
    .executeTakeFirst();
  if (before === undefined) {
    throw unknownVideo(key);
  }
  if (before.thumbnail_key !== null) {
    await retireObject(tx, key, { key: before.thumbnail_key, sizeBytes: before.thumbnail_bytes });
  }
  await tx
    .updateTable('media')
    .set({
      thumbnail_key: thumbnail.objectKey,
      thumbnail_bytes: thumbnail.sizeBytes,
      thumbnail_file_name: thumbnail.fileName,
      thumbnail_width_px: thumbnail.widthPx,
      thumbnail_height_px: thumbnail.heightPx,
      thumbnail_blurhash: thumbnail.blurhash,
    })
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .execute();
  await sumStorage(tx, key);
  await bumpPublication(tx, key);
}
