import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { findStored, type RenditionOutput } from '../../catalog/lifecycle/chunk-store.ts';
import { publishesGrowing } from '../../catalog/tasks/task-kind.ts';
import { loadTaskView } from '../../catalog/tasks/task-view-store.ts';
import type { JobDeps } from '../job-deps.ts';
import { type HeldTask, throughPause } from '../queue/run-task.ts';
import { encodeRecording } from './encode-recording.ts';
import { encodeRungs } from './encode-rungs.ts';
import { openPlanned } from './open-planned.ts';
import { publishChunks } from './publish-chunks.ts';
import { createChunkWriter, discardAfter } from './store-chunk.ts';

/** Encodes a range of segments of all rungs of an encode task in one ffmpeg process. */
export async function encodeRange(held: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { claim, report } = held;
  const view = await loadTaskView(deps.db, claim.task);
  // A video without an original is a live recording or was deleted.
  if (view === null) return encodeRecording(held, deps, signal);
  if (view.renditions.length === 0) throw new LeaseLost();
  const local = await openPlanned(deps.sources, view, signal);
  // Viewers may watch the start of a timeline while it grows.
  const publish =
    claim.task.fromSegment > 0 || !publishesGrowing(claim.task.kind)
      ? null
      : (outputs: readonly RenditionOutput[]) => publishChunks(deps, claim, { outputs, isLast: false });
  const writers = view.renditions.map((rendition) =>
    createChunkWriter({
      storage: deps.storage,
      key: claim.task.key,
      renditionId: rendition.id,
      attempt: claim.attempt,
      ...((rendition.isOnDemand || publish !== null) && {
        findTaken: (range) => throughPause(() => findStored(deps.db, rendition.id, range)),
      }),
    }),
  );
  try {
    const outputs = await encodeRungs({ claim, deps, view, path: local.path, writers, report, publish }, signal);
    await publishChunks(deps, claim, { outputs, isLast: true });
  } catch (error) {
    const written = writers.flatMap((writer) => writer.written);
    await discardAfter(error, deps, written);
    throw error;
  } finally {
    await local.release();
  }
}
