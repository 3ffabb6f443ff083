import type { ScrubChunk } from '../../catalog/scrub/scrub-store.ts';
import { idxKeyOf } from '../../catalog/tasks/encode-task.ts';
import { BrokenMedia } from '../../media/bmff/broken-media.ts';
import { buildChunk } from '../../media/cmaf/chunk.ts';
import { decodeIdx } from '../../media/cmaf/idx.ts';
import { readStoredSegments } from '../../media/cmaf/stored-fragments.ts';
import type { Storage } from '../../ports/storage.ts';
import { checkObject, isMissing, isWorn } from './check-object.ts';

/**
 * Damage of a chunk: its media, or only its index, which can be rebuilt from the media. `what` describes the damage.
 */
export type ChunkDamage = { kind: 'missing' | 'media' | 'index'; what: string };

/** Reads a whole chunk and its index, and compares them with the row. Rethrows read errors. */
export async function checkChunk(
  chunk: ScrubChunk,
  storage: Storage,
  signal: AbortSignal,
): Promise<ChunkDamage | null> {
  const fault = await checkObject(chunk, storage, signal);
  if (fault !== null) return { kind: fault.isMissing ? 'missing' : 'media', what: fault.what };
  const what = await checkIndex(chunk, storage, signal);
  return what === null ? null : { kind: 'index', what };
}

async function checkIndex(chunk: ScrubChunk, storage: Storage, signal: AbortSignal): Promise<string | null> {
  try {
    const index = decodeIdx(await storage.readBytes(idxKeyOf(chunk.storageKey), null, signal));
    return index.sha256.equals(chunk.sha256) ? null : 'its index is of another chunk';
  } catch (error) {
    if (error instanceof BrokenMedia) return error.message;
    if (isMissing(error)) return 'its index is missing';
    if (isWorn(error)) return 'its index cannot be read';
    throw error;
  }
}

/** Rebuilds the index of an audio chunk. */
export async function rebuildIndex(chunk: ScrubChunk, storage: Storage, signal: AbortSignal): Promise<void> {
  const bytes = await storage.readBytes(chunk.storageKey, null, signal);
  const segments = readStoredSegments(bytes, chunk, chunk.timescale);
  const { idx } = buildChunk(segments, chunk.firstSegment);
  await storage.put(idxKeyOf(chunk.storageKey), idx, {}, signal);
}
