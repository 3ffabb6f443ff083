import { createReadStream } from 'node:fs';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { loadTaskView, type TaskRendition, type TaskView } from '../../catalog/tasks/task-view-store.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import { copySegments } from '../encode/copy-segments.ts';
import { encodeRange } from '../encode/encode-range.ts';
import { encodeTrack } from '../encode/encode-track.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask, PerformTask } from '../queue/run-task.ts';

const READ_BYTES = 2 ** 20;

/** Creates a damaged chunk of a finished video again from the original, with the same method as before. */
export async function repairChunk(held: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadTaskView(deps.db, held.claim.task);
  const [rendition] = view?.renditions ?? [];
  if (view === null) throw new Error('The original file no longer exists.');
  if (rendition === undefined) throw new LeaseLost();
  await expectOriginal(view, deps, signal);
  await performerOf(rendition)(held, deps, signal);
}

function performerOf({ kind, isPassThrough }: TaskRendition): PerformTask {
  if (kind === 'audio') return encodeTrack;
  return isPassThrough ? copySegments : encodeRange;
}

/**
 * Throws if the original is damaged. A disk that damaged a chunk may also have damaged the original, and the repaired
 * chunk would contain the damage.
 */
async function expectOriginal(
  { sourceKey, sourceSha256 }: TaskView,
  deps: JobDeps,
  signal: AbortSignal,
): Promise<void> {
  if (sourceSha256 === null) return;
  const original = await deps.sources.open(sourceKey, signal);
  try {
    const sha256 = await sha256Of(createReadStream(original.path, { signal, highWaterMark: READ_BYTES }));
    if (!sha256.equals(sourceSha256)) throw new Error('the original file is damaged too: its SHA-256 has changed');
  } finally {
    await original.release();
  }
}
