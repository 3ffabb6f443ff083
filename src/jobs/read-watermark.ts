import { watermarkKey } from '../catalog/libraries/watermark.ts';
import type { StoredWatermark } from '../catalog/schema.ts';
import type { Watermark } from '../media/watermark.ts';
import type { Storage } from '../ports/storage.ts';

/** Reads the mark that renditions were planned with; null when they have none. Those of one run all have the same. */
export async function readWatermark(
  storage: Storage,
  libraryId: number,
  renditions: readonly { plan: { watermark?: StoredWatermark } }[],
  signal: AbortSignal,
): Promise<Watermark | null> {
  const place = renditions[0]?.plan.watermark;
  if (place === undefined) return null;
  return { ...place, png: await storage.readBytes(watermarkKey(libraryId, place.version), null, signal) };
}
