import { randomBytes } from 'node:crypto';
import type { MediaKey } from '../../catalog/db.ts';
import { imageKey } from '../../catalog/libraries/library-image.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { LiveThumbnailStore } from '../../catalog/live/streams/live-thumbnail-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { ImageMaker } from '../../media/images/run-image-maker.ts';
import { type Storage, storageKey } from '../../ports/storage.ts';

export type ThumbnailDeps = { liveThumbnails: LiveThumbnailStore; storage: Storage; images: ImageMaker };

/**
 * Converts an image to a clean JPEG, stores it and sets it as the image of a stream. Throws `Refused` (`invalid`) if
 * the file is not an image.
 */
export async function showThumbnail(
  key: MediaKey,
  sent: Buffer,
  { liveThumbnails, storage, images }: ThumbnailDeps,
  signal: AbortSignal,
): Promise<void> {
  const { jpeg, widthPx, heightPx, blurhash } = await images.make(sent, signal);
  const objectKey = storageKey(`${mediaPrefix(key)}thumbnail/${newGuid()}.jpg`);
  // The name changes each time, so that no cache shows the old image.
  const fileName = `thumbnail_${randomBytes(4).toString('hex')}.jpg`;
  await storage.put(objectKey, jpeg, { contentType: 'image/jpeg' }, signal);
  const thumbnail = { objectKey, sizeBytes: jpeg.length, widthPx, heightPx, fileName, blurhash };
  await liveThumbnails.put(key, thumbnail).catch(async (error: unknown) => {
    // After any other error the commit may have succeeded. If it did not, the orphan sweep deletes the object.
    if (error instanceof Refused) await storage.delete([objectKey]);
    throw error;
  });
}

/** Sets a stream's image to the default of its library; returns false if the library has none. */
export async function showDefaultThumbnail(
  key: MediaKey,
  deps: ThumbnailDeps & { libraries: Pick<LibraryStore, 'findLibrary'> },
  signal: AbortSignal,
): Promise<boolean> {
  // Reads the library again, because the file of a replaced image is deleted.
  const library = await deps.libraries.findLibrary(key.libraryId);
  if (library?.settings.liveThumbnail.present !== true) return false;
  const stored = imageKey(key.libraryId, 'liveThumbnail', library.settings.liveThumbnail.version);
  await showThumbnail(key, await deps.storage.readBytes(stored, null, signal), deps, signal);
  return true;
}
