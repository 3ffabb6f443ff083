import { randomBytes } from 'node:crypto';
import type { MediaKey } from '../../catalog/db.ts';
import { imageKey } from '../../catalog/libraries/library-image.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LiveThumbnailStore } from '../../catalog/live/streams/live-thumbnail-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { ImageMaker } from '../../media/images/run-image.ts';
import { type Storage, storageKey } from '../../ports/storage.ts';

export type ThumbnailDeps = { liveThumbnails: LiveThumbnailStore; storage: Storage; images: ImageMaker };

/**
 * Makes a clean JPEG of an image, stores it and shows it as that of a stream. Refuses (`invalid`) what is no image.
 */
export async function showThumbnail(
  key: MediaKey,
  sent: Buffer,
  { liveThumbnails, storage, images }: ThumbnailDeps,
  signal: AbortSignal,
): Promise<void> {
  const { jpeg, widthPx, heightPx, blurhash } = await images.make(sent, signal);
  const objectKey = storageKey(`${mediaPrefix(key)}thumbnail/${newGuid()}.jpg`);
  // Another name each time, so that no cache shows the old image under it.
  const fileName = `thumbnail_${randomBytes(4).toString('hex')}.jpg`;
  await storage.put(objectKey, jpeg, { contentType: 'image/jpeg' }, signal);
  const thumbnail = { objectKey, sizeBytes: jpeg.length, widthPx, heightPx, fileName, blurhash };
  await liveThumbnails.put(key, thumbnail).catch(async (error: unknown) => {
    // After any other fault it is unknown what was committed: the sweep of objects without a row decides.
    if (error instanceof Refused) await storage.delete([objectKey]);
    throw error;
  });
}

/** Shows the image that a library's streams begin with; false when it has none. */
export async function showDefaultThumbnail(
  key: MediaKey,
  deps: ThumbnailDeps & { libraries: Pick<LibraryStore, 'find'> },
  signal: AbortSignal,
): Promise<boolean> {
  // As it is now: the file of an image that was replaced is gone.
  const library = await deps.libraries.find(key.libraryId);
  if (library?.settings.liveThumbnail.present !== true) return false;
  const stored = imageKey(key.libraryId, 'liveThumbnail', library.settings.liveThumbnail.version);
  await showThumbnail(key, await deps.storage.readBytes(stored, null, signal), deps, signal);
  return true;
}
