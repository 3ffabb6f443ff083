import { Readable } from 'node:stream';
import type { MediaKey } from '../../catalog/db.ts';
import { CommitInDoubt } from '../../catalog/in-transaction.ts';
import type { StoredChunk } from '../../catalog/lifecycle/chunk-store.ts';
import { chunkKeys, idxKeyOf } from '../../catalog/tasks/encode-task.ts';
import type { Guid } from '../../lib/guid.ts';
import { buildChunk } from '../../media/cmaf/chunk.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import { segmentSizeBytes } from '../../media/cmaf/segment.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/**
 * Maximum bytes of one rendition in memory before they are written as an object. This bounds memory and the size of an
 * object.
 */
const MAX_HELD_BYTES = 24 * 2 ** 20;

/** Location at which the chunks of one rendition and attempt are stored. */
export type ChunkTarget = {
  storage: Storage;
  key: MediaKey;
  renditionId: Guid;
  attempt: number;
  /** Maximum number of segments per chunk. Default: as many as fit in `MAX_HELD_BYTES`. */
  mostSegments?: number;
  /**
   * Returns the segments of a range that other tasks have stored in the meantime, which the writer omits. Default:
   * none.
   */
  findTaken?: (range: { firstSegment: number; segmentCount: number }) => Promise<readonly number[]>;
};

/** Collects segments of one rendition into stored chunks. Segments may be added during a flush. */
export type ChunkWriter = {
  /** Adds the next segment. Stores a chunk when enough bytes are pending. */
  add(segment: Segment, signal: AbortSignal): Promise<void>;
  /** Stores the pending segments. Returns all chunks stored since the last call, in order. */
  flush(signal: AbortSignal): Promise<StoredChunk[]>;
  /** Records that chunks were published, so that rows now refer to their objects. */
  committed(chunks: readonly StoredChunk[]): void;
  /** All objects written so far, complete or not, that were not committed. */
  readonly written: readonly StorageKey[];
};

export function createChunkWriter(target: ChunkTarget): ChunkWriter {
  let held: Segment[] = [];
  let heldBytes = 0;
  let stored: StoredChunk[] = [];
  const written = new Set<StorageKey>();
  const { mostSegments = Number.POSITIVE_INFINITY } = target;

  async function store(signal: AbortSignal): Promise<void> {
    const taken = held;
    held = [];
    heldBytes = 0;
    for (const run of splitRuns(await leaveTaken(target, taken)))
      stored.push(await storeChunk(target, run, written, signal));
  }

  return {
    get written() {
      return [...written];
    },
    committed(chunks) {
      for (const { storageKey } of chunks) {
        written.delete(storageKey);
        written.delete(idxKeyOf(storageKey));
      }
    },
    async add(segment, signal) {
      const sizeBytes = segmentSizeBytes(segment);
      const isFull = held.length >= mostSegments || heldBytes + sizeBytes > MAX_HELD_BYTES;
      if (held.length > 0 && isFull) await store(signal);
      held.push(segment);
      heldBytes += sizeBytes;
    },
    async flush(signal) {
      await store(signal);
      const all = stored;
      stored = [];
      return all;
    },
  };
}

async function leaveTaken({ findTaken }: ChunkTarget, segments: readonly Segment[]): Promise<readonly Segment[]> {
  const [first, last] = [segments[0], segments.at(-1)];
  if (findTaken === undefined || first === undefined || last === undefined) return segments;
  const taken = await findTaken({ firstSegment: first.number, segmentCount: last.number - first.number + 1 });
  return segments.filter(({ number }) => !taken.includes(number));
}

/** Splits segments into runs without gaps, because a chunk cannot have gaps. */
function splitRuns(segments: readonly Segment[]): Segment[][] {
  const runs: Segment[][] = [];
  for (const segment of segments) {
    const run = runs.at(-1);
    if (run?.at(-1)?.number === segment.number - 1) run.push(segment);
    else runs.push([segment]);
  }
  return runs;
}

/** Stores a chunk and its `.idx`, checks the stored bytes against the index, and resolves when both are durable. */
export async function storeChunk(
  target: Pick<ChunkTarget, 'storage' | 'key' | 'renditionId' | 'attempt'>,
  segments: readonly Segment[],
  written: Set<StorageKey>,
  signal: AbortSignal,
): Promise<StoredChunk> {
  const firstSegment = segments[0]?.number ?? 0;
  const { pieces, idx, facts } = buildChunk(segments, firstSegment);
  const { object, idx: idxKey } = chunkKeys(target.key, target.renditionId, firstSegment, target.attempt);
  written.add(object).add(idxKey);
  const [wrote] = await Promise.all([
    target.storage.put(object, Readable.from(pieces, { objectMode: false }), {}, signal),
    target.storage.put(idxKey, idx, {}, signal),
  ]);
  if (wrote.sizeBytes !== facts.sizeBytes || wrote.sha256.toString('hex') !== facts.sha256) {
    throw new Error(`Expected ${object} of ${facts.sizeBytes} bytes, the store wrote ${wrote.sizeBytes} bytes.`);
  }
  return { facts, storageKey: object, idxBytes: idx.length };
}

/**
 * Deletes the objects of a failed attempt, unless it may have been committed. In that case rows may refer to them, and
 * the sweep deletes any without a row.
 */
export async function discardAfter(
  error: unknown,
  { storage, report }: Discarding,
  keys: readonly StorageKey[],
): Promise<void> {
  if (!(error instanceof CommitInDoubt)) await discardObjects(storage, keys, report);
}

type Discarding = { storage: Storage; report: (error: Error) => void };

/** Deletes the objects of an attempt whose chunks were not committed. The sweep deletes any that are left. */
export async function discardObjects(
  storage: Storage,
  keys: readonly StorageKey[],
  report: (error: Error) => void,
): Promise<void> {
  const atOnce = 1000;
  for (let at = 0; at < keys.length; at += atOnce) {
    try {
      await storage.delete(keys.slice(at, at + atOnce));
    } catch (cause) {
      report(new Error(`Could not delete the objects of a failed attempt. The next sweep deletes them.`, { cause }));
    }
  }
}
