import type { LiveLease } from '../../catalog/live/live-lease.ts';
import type { StoredSegment } from '../../catalog/live/publishing/period-store.ts';
import type { Guid } from '../../lib/guid.ts';
import type { Chunk } from '../../media/cmaf/chunk.ts';
import { packedKey } from '../../ports/packed-key.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/** A closed segment as a chunk. `wallMs` is the capture time of its first sample, in ms since 1970. */
export type ClosedChunk = { lease: LiveLease; renditionId: Guid; chunk: Chunk; wallMs: number };

/**
 * Writes chunks of one stream, each followed by its `.idx`, as one object with the key `pack`. Returns them in order.
 */
export async function storePack(
  pack: StorageKey,
  closed: readonly ClosedChunk[],
  { storage, signal }: { storage: Storage; signal: AbortSignal },
): Promise<StoredSegment[]> {
  let start = 0;
  const stored = closed.map(({ lease, renditionId, chunk: { facts, idx }, wallMs }) => {
    const storageKey = packedKey(pack, { start, sizeBytes: facts.sizeBytes, idxBytes: idx.length });
    start += facts.sizeBytes + idx.length;
    return { lease, renditionId, facts, storageKey, idxBytes: idx.length, wallMs };
  });
  // The bytes are concatenated first, because a store would process a stream buffer by buffer, and a segment has two
  // buffers per part.
  const bytes = Buffer.concat(closed.flatMap(({ chunk: { pieces, idx } }) => [...pieces, idx]));
  const { sizeBytes } = await storage.put(pack, bytes, {}, signal);
  if (sizeBytes !== start) throw new Error(`Expected ${pack} of ${start} bytes, the store wrote ${sizeBytes}.`);
  return stored;
}
