import { buffer } from 'node:stream/consumers';
import { commitThumbnail } from '../catalog/encoding/thumbnail-store.ts';
import { mediaPrefix } from '../catalog/encoding/work.ts';
import { loadWorkView, type WorkView } from '../catalog/encoding/work-view-store.ts';
import { runFfmpeg } from '../media/run-ffmpeg.ts';
import { chooseThumbnail, planThumbnails } from '../media/thumbnail.ts';
import { storageKey } from '../ports/storage.ts';
import { defineJob } from './define-job.ts';
import { LeaseLost } from './hold-lease.ts';
import { type HeldWork, holdWork } from './hold-work.ts';
import type { JobDeps } from './job-deps.ts';
import { type WorkRef, workJob } from './send-works.ts';
import { discardObjects } from './store-chunk.ts';

/** Makes a video's thumbnail from its source. */
export const makeThumbnail = defineJob<WorkRef, JobDeps>({
  ...workJob('thumbnail', 'quick'),
  run: (ref, deps, signal) => holdWork(ref, deps, signal, (held, lease) => storeThumbnail(held, deps, lease)),
});

async function storeThumbnail({ claim }: HeldWork, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadWorkView(deps.db, claim.work);
  if (view === null) throw new LeaseLost();
  const picture = await takePicture(view, deps, signal);
  const key = storageKey(`${mediaPrefix(claim.work.key)}thumbnail/${claim.work.id}-${claim.attempt}.jpg`);
  try {
    if (picture !== null) await deps.storage.put(key, picture, { contentType: 'image/jpeg' }, signal);
    const stored = picture === null ? null : { storageKey: key, sizeBytes: picture.length };
    const unwanted = await deps.db.transaction().execute((tx) => commitThumbnail(tx, claim, stored));
    if (unwanted !== null) await discardObjects(deps.storage, [unwanted], deps.report);
  } catch (error) {
    await discardObjects(deps.storage, [key], deps.report);
    throw error;
  }
}

async function takePicture(view: WorkView, deps: JobDeps, signal: AbortSignal): Promise<Buffer | null> {
  const local = await deps.sources.open(view.sourceKey, signal);
  try {
    const plan = planThumbnails(view.facts, view.thumbnailTimeMs === null ? null : view.thumbnailTimeMs / 1000);
    const run = await runFfmpeg(plan, { sourcePath: local.path, niceness: 10 }, signal);
    const outputs = await Promise.all(run.outputs.map((output) => buffer(output)));
    await run.done;
    const samples = outputs.filter((_, index) => index % 2 === 1);
    const chosen = chooseThumbnail(samples);
    const picture = chosen === null ? undefined : outputs[2 * chosen];
    return picture === undefined || picture.length === 0 ? null : picture;
  } finally {
    await local.release();
  }
}
