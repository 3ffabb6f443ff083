import type { StoredWatermark } from '../../catalog/images/image-schema.ts';
import { imageKey } from '../../catalog/libraries/library-image.ts';
import type { Watermark } from '../../media/encode/watermark.ts';
import type { Storage } from '../../ports/storage.ts';

/** Reads the watermark of a plan. Returns null if it has none. */
export async function readWatermark(
  storage: Storage,
  libraryId: number,
  planned: StoredWatermark | undefined,
  signal: AbortSignal,
): Promise<Watermark | null> {
  if (planned === undefined) return null;
  return {
    ...planned,
    png: await storage.readBytes(imageKey(libraryId, 'watermark', planned.version), null, signal),
  };
}
