import { findStored, type RenditionOutput } from '../../catalog/encoding/chunk-store.ts';
import { loadWorkView } from '../../catalog/encoding/work-view-store.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { LeaseLost } from '../queue/hold-lease.ts';
import { type WorkRef, workJob } from '../queue/send-works.ts';
import { encodeRungs } from './encode-rungs.ts';
import { type HeldWork, holdWork } from './hold-work.ts';
import { openPlanned } from './open-joined.ts';
import { publishChunks } from './publish-chunks.ts';
import { createChunkWriter, discardAfter } from './store-chunk.ts';

/** Encodes a range of segments of all rungs of a work by one ffmpeg. */
export const encodeChunk = defineJob<WorkRef, JobDeps>({
  ...workJob('video', 'long'),
  run: (ref, deps, signal) => holdWork(ref, deps, signal, (held, lease) => encodeRange(held, deps, lease)),
});

/**
 * As `encodeChunk`, for what is encoded on demand and nobody asked for yet: it steps aside while this worker makes
 * segments for viewers.
 */
export const fillChunk = defineJob<WorkRef, JobDeps>({
  ...workJob('fill', 'long'),
  async run(ref, deps, signal) {
    // The sweep sends it again.
    if (deps.servesViewers?.() === true) return;
    await holdWork(ref, deps, signal, (held, lease) => encodeRange(held, deps, lease));
  },
});

/** As `encodeChunk`, for what makes a new video playable: it never waits behind long encodes. */
export const encodeFirstChunk = defineJob<WorkRef, JobDeps>({
  ...workJob('video', 'quick'),
  run: (ref, deps, signal) => holdWork(ref, deps, signal, (held, lease) => encodeRange(held, deps, lease)),
});

async function encodeRange({ claim, tell }: HeldWork, deps: JobDeps, signal: AbortSignal): Promise<void> {
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
        findTaken: (range) => findStored(deps.db, rendition.id, range),
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
