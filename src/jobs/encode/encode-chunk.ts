import { findStored, type RenditionOutput } from '../../catalog/encoding/chunk-store.ts';
import { loadWorkView } from '../../catalog/encoding/work-view-store.ts';
import type { JobDeps } from '../job-deps.ts';
import { LeaseLost } from '../queue/hold-lease.ts';
import { type HeldWork, throughPause } from '../queue/run-task.ts';
import { encodeRungs } from './encode-rungs.ts';
import { openPlanned } from './open-joined.ts';
import { publishChunks } from './publish-chunks.ts';
import { createChunkWriter, discardAfter } from './store-chunk.ts';

/** Encodes a range of segments of all rungs of a work by one ffmpeg. */
export async function encodeRange({ claim, tell }: HeldWork, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadWorkView(deps.db, claim.work);
  if (view === null || view.renditions.length === 0) throw new LeaseLost();
  const local = await openPlanned(deps.sources, view, signal);
  // What a timeline begins with is watched while it grows.
  const publish =
    claim.work.fromSegment > 0
      ? null
      : (outputs: readonly RenditionOutput[]) => publishChunks(deps, claim, { outputs, isLast: false });
  const writers = view.renditions.map((rendition) =>
    createChunkWriter({
      storage: deps.storage,
      key: claim.work.key,
      renditionId: rendition.id,
      attempt: claim.attempt,
      ...((rendition.isOnDemand || publish !== null) && {
        findTaken: (range) => throughPause(() => findStored(deps.db, rendition.id, range)),
      }),
    }),
  );
  try {
    const outputs = await encodeRungs({ claim, deps, view, path: local.path, writers, tell, publish }, signal);
    await publishChunks(deps, claim, { outputs, isLast: true });
  } catch (error) {
    const written = writers.flatMap((writer) => writer.written);
    await discardAfter(error, deps, written);
    throw error;
  } finally {
    await local.release();
  }
}
