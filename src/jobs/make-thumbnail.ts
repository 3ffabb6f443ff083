import { buffer } from 'node:stream/consumers';
import { loadWorkView, type WorkView } from '../catalog/encoding/work-view-store.ts';
import { inTransaction } from '../catalog/in-transaction.ts';
import { commitThumbnail } from '../catalog/pictures/picture-store.ts';
import { writeBlurhash } from '../media/pictures/blurhash.ts';
import { MINIATURE } from '../media/pictures/miniature.ts';
import { runFfmpeg } from '../media/run-ffmpeg.ts';
import { chooseThumbnail, planThumbnails } from '../media/thumbnail.ts';
import { defineJob } from './define-job.ts';
import { LeaseLost } from './hold-lease.ts';
import { type HeldWork, holdWork } from './hold-work.ts';
import type { JobDeps } from './job-deps.ts';
import type { Poster } from './pictures/make-posters.ts';
import { thumbnailKey } from './pictures/picture-shelf.ts';
import { sendWorks, type WorkRef, workJob } from './send-works.ts';
import { discardAfter, discardObjects } from './store-chunk.ts';

/** Makes a long video's first thumbnail from its source, for the time until it is encoded. */
export const makeThumbnail = defineJob<WorkRef, JobDeps>({
  ...workJob('thumbnail', 'quick'),
  run: (ref, deps, signal) => holdWork(ref, deps, signal, (held, lease) => storeThumbnail(held, deps, lease)),
});

async function storeThumbnail({ claim }: HeldWork, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadWorkView(deps.db, claim.work);
  if (view === null) throw new LeaseLost();
  const picture = await takePicture(view, deps, signal);
  const key = thumbnailKey(claim);
  try {
    if (picture !== null) await deps.storage.put(key, picture.jpeg, { contentType: 'image/jpeg' }, signal);
    const stored = picture && { key, sizeBytes: picture.jpeg.length, blurhash: picture.blurhash };
    const unwanted = await inTransaction(deps.db, async (tx) => {
      const end = await commitThumbnail(tx, claim, stored);
      await sendWorks(deps.queue, end.works)(tx);
      return end.unwanted;
    });
    await discardObjects(deps.storage, unwanted, deps.report);
  } catch (error) {
    await discardAfter(error, deps, [key]);
    throw error;
  }
}

async function takePicture(view: WorkView, deps: JobDeps, signal: AbortSignal): Promise<Poster | null> {
  const local = await deps.sources.open(view.sourceKey, signal);
  try {
    const plan = planThumbnails(view.facts, view.thumbnailTimeMs === null ? null : view.thumbnailTimeMs / 1000);
    const run = await runFfmpeg(plan, { sourcePath: local.path, niceness: 10 }, signal);
    const outputs = await Promise.all(run.outputs.map((output) => buffer(output)));
    await run.done;
    const samples = outputs.filter((_, index) => index % 2 === 1);
    const chosen = chooseThumbnail(samples);
    const [jpeg, rgba] = chosen === null ? [] : outputs.slice(2 * chosen);
    if (jpeg === undefined || rgba === undefined || jpeg.length === 0) return null;
    return { jpeg, blurhash: writeBlurhash({ ...MINIATURE, rgba }) };
  } finally {
    await local.release();
  }
}
