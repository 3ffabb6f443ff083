import { pictureKey } from '../../catalog/libraries/library-picture.ts';
import type { StoredWatermark } from '../../catalog/pictures/picture-schema.ts';
import type { Watermark } from '../../media/encode/watermark.ts';
import type { Storage } from '../../ports/storage.ts';

/** Reads the mark that something was planned with; null when it has none. */
export async function readWatermark(
  storage: Storage,
  libraryId: number,
  planned: StoredWatermark | undefined,
  signal: AbortSignal,
): Promise<Watermark | null> {
  if (planned === undefined) return null;
  return {
    ...planned,
    png: await storage.readBytes(pictureKey(libraryId, 'watermark', planned.version), null, signal),
  };
}
