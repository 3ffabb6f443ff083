import type { Db } from '../../catalog/db.ts';
import { imageKey } from '../../catalog/libraries/library-image.ts';
import { loadLibrary } from '../../catalog/libraries/read-library-store.ts';
import { readEncodeSettings } from '../../jobs/planning/encode-settings.ts';
import type { LadderOptions } from '../../media/encode/ladder.ts';
import type { Watermark } from '../../media/encode/watermark.ts';
import type { Storage } from '../../ports/storage.ts';

/**
 * Returns the watermark for a library's live streams, at the position that is configured for its videos, and the sizes
 * that the library encodes. Returns null without a watermark.
 */
export async function readMark(
  { db, storage }: { db: Db; storage: Storage },
  libraryId: number,
  signal: AbortSignal,
): Promise<{ mark: Watermark; options: LadderOptions } | null> {
  const { settings } = await loadLibrary(db, libraryId);
  const { liveWatermark, watermark: position } = settings;
  if (!liveWatermark.present) return null;
  const png = await storage.readBytes(imageKey(libraryId, 'liveWatermark', liveWatermark.version), null, signal);
  return { mark: { ...position, png }, options: readEncodeSettings(settings, {}).ladder };
}
