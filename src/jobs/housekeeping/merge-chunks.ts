import { createHash } from 'node:crypto';
import { inTransaction } from '../../catalog/in-transaction.ts';
import {
  endMerging,
  loadMergeable,
  type Merge,
  type MergeableChunk,
  type MergeableRendition,
  nextMergeAttempt,
  replaceParts,
  takeDue,
} from '../../catalog/merge/merge-store.ts';
import { idxKeyOf } from '../../catalog/tasks/encode-task.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import type { Segment } from '../../media/cmaf/segment.ts';
import { readStoredSegments } from '../../media/cmaf/stored-fragments.ts';
import { planMerges } from '../../media/presentation/plan-merges.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';
import { discardAfter, discardObjects, storeChunk } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { pastFailures } from '../store/past-failures.ts';
import { isMissing } from './check-object.ts';

/** Maximum number of bytes written per run. There is one run per minute. */
const BYTES_A_RUN = 2 ** 30;
const RUN_MS = 40_000;
const RENDITIONS_A_RUN = 200;
/** Maximum number of merged chunks per transaction. Each transaction makes the edges reload the publication once. */
const MERGES_AT_ONCE = 8;

type MergeDeps = Pick<JobDeps, 'db' | 'storage' | 'report' | 'mergeBytes'>;
/** Bytes that the run may still write. */
type Budget = { leftBytes: number };

/**
 * Merges chunks that contain a single segment (from encoding on demand, the start of an encode, or live recordings)
 * into objects of about 32 s. The new object is durable before one transaction replaces the old rows. The old objects
 * are kept for the grace time of retired ones. A run that crashes leaves orphans. The scrub repairs damaged chunks.
 */
export const mergeChunks = defineJob<object, MergeDeps>({
  name: 'merge-chunks',
  queue: 'long',
  retryLimit: 0,
  cron: '* * * * *',
  async run(_, deps, signal) {
    const budget: Budget = { leftBytes: deps.mergeBytes ?? BYTES_A_RUN };
    const startedMs = performance.now();
    const deadlineMs = startedMs + RUN_MS;
    if (budget.leftBytes <= 0) return;
    async function* listDue(): AsyncGenerator<MergeableRendition> {
      for (let taken = 0; taken < RENDITIONS_A_RUN && performance.now() < deadlineMs; taken += 1) {
        const rendition = budget.leftBytes > 0 ? await takeDue(deps.db) : null;
        if (rendition === null) return;
        yield rendition;
      }
    }
    await pastFailures(listDue(), (rendition) => mergeRendition(rendition, { deps, budget }, signal), signal);
    const bytes = (deps.mergeBytes ?? BYTES_A_RUN) - budget.leftBytes;
    if (bytes > 0) logEvent('merge.finished', { bytes, durationMs: performance.now() - startedMs });
  },
});

type Run = { deps: MergeDeps; budget: Budget };

async function mergeRendition(
  rendition: MergeableRendition,
  { deps, budget }: Run,
  signal: AbortSignal,
): Promise<void> {
  const chunks = await loadMergeable(deps.db, rendition);
  const runs = planMerges(chunks, rendition);
  let at = 0;
  for (; at < runs.length && budget.leftBytes > 0; at += MERGES_AT_ONCE) {
    const together = runs.slice(at, at + MERGES_AT_ONCE);
    await mergeRuns(rendition, together, deps, signal);
    budget.leftBytes -= together.flat().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
  await inTransaction(deps.db, (tx) => endMerging(tx, rendition, { isDone: at >= runs.length }));
}

async function mergeRuns(
  rendition: MergeableRendition,
  runs: readonly (readonly MergeableChunk[])[],
  { db, storage, report }: MergeDeps,
  signal: AbortSignal,
): Promise<void> {
  const written = new Set<StorageKey>();
  const target = {
    storage,
    key: rendition.key,
    renditionId: rendition.renditionId,
    attempt: await nextMergeAttempt(db),
  };
  try {
    const merges: Merge[] = [];
    for (const parts of runs) {
      const segments = await readParts(parts, rendition, { storage, report }, signal);
      if (segments !== null) merges.push({ parts, whole: await storeChunk(target, segments, written, signal) });
    }
    if (merges.length === 0) return;
    const rejected = await inTransaction(db, (tx) => replaceParts(tx, rendition, { merges, attempt: target.attempt }));
    const keys = rejected.flatMap(({ whole }) => [whole.storageKey, idxKeyOf(whole.storageKey)]);
    if (keys.length > 0) await discardObjects(storage, keys, report);
  } catch (error) {
    await discardAfter(error, { storage, report }, [...written]);
    throw error;
  }
}

/**
 * Returns the segments of some chunks as described by their rows. Returns null if a chunk is damaged, which the scrub
 * repairs.
 */
async function readParts(
  parts: readonly MergeableChunk[],
  { timescale }: MergeableRendition,
  { storage, report }: Pick<MergeDeps, 'storage' | 'report'>,
  signal: AbortSignal,
): Promise<Segment[] | null> {
  const segments: Segment[] = [];
  for (const part of parts) {
    const bytes = await readUnlessMissing(storage, part, signal);
    if (bytes === null || !createHash('sha256').update(bytes).digest().equals(part.sha256)) {
      report(
        new Error(`Chunk ${part.storageKey} differs from its recorded hash and is not merged. The scrub checks it.`),
      );
      return null;
    }
    segments.push(...readStoredSegments(bytes, part, timescale));
  }
  return segments;
}

async function readUnlessMissing(storage: Storage, { storageKey }: MergeableChunk, signal: AbortSignal) {
  try {
    return await storage.readBytes(storageKey, null, signal);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
