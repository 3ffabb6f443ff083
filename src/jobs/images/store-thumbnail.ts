import { buffer } from 'node:stream/consumers';
import { findPartThumbnail, loadComposition } from '../../catalog/compose/composition-store.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { commitThumbnail } from '../../catalog/lifecycle/image-store.ts';
import type { Claim } from '../../catalog/tasks/encode-task.ts';
import { loadTaskView, type TaskView } from '../../catalog/tasks/task-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { writeBlurhash } from '../../media/images/blurhash.ts';
import { MINIATURE } from '../../media/images/miniature.ts';
import { chooseThumbnail, planThumbnails } from '../../media/images/thumbnail.ts';
import { openPlanned } from '../encode/open-planned.ts';
import { discardAfter, discardObjects } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { thumbnailKey } from './image-output.ts';
import type { Poster } from './make-posters.ts';

/**
 * Makes the temporary first thumbnail of a long video from its source, and the thumbnail of an audio file from its
 * cover. Copies the thumbnail of a part for a composition, which has no source.
 */
export async function storeThumbnail({ claim }: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadTaskView(deps.db, claim.task);
  const image = view === null ? await copyImage(claim, deps, signal) : await takeImage(view, deps, signal);
  const key = thumbnailKey(claim);
  try {
    if (image !== null) await deps.storage.put(key, image.jpeg, { contentType: 'image/jpeg' }, signal);
    const stored = image && { key, sizeBytes: image.jpeg.length, blurhash: image.blurhash };
    const rejected = await inTransaction(deps.db, async (tx) => {
      const end = await commitThumbnail(tx, claim, stored);
      return end.rejected;
    });
    await discardObjects(deps.storage, rejected, deps.report);
  } catch (error) {
    await discardAfter(error, deps, [key]);
    throw error;
  }
}

async function copyImage({ task }: Claim, { db, storage }: JobDeps, signal: AbortSignal): Promise<Poster | null> {
  if ((await loadComposition(db, task)) === null) throw new LeaseLost();
  const found = await findPartThumbnail(db, task.key);
  if (found === null) return null;
  try {
    return { jpeg: await storage.readBytes(found.key, null, signal), blurhash: found.blurhash };
  } catch (error) {
    // The part was deleted, or got another thumbnail.
    if (error instanceof Refused && error.kind === 'not-found') return null;
    throw error;
  }
}

async function takeImage(view: TaskView, deps: JobDeps, signal: AbortSignal): Promise<Poster | null> {
  const local = await openPlanned(deps.sources, view, signal);
  try {
    const { facts, thumbnailTimeMs } = view;
    const isCover = facts.video === null && facts.cover !== undefined;
    const plan = isCover
      ? planThumbnails({ ...facts, video: facts.cover ?? null }, 0)
      : planThumbnails(facts, thumbnailTimeMs === null ? null : thumbnailTimeMs / 1000);
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
