import { buffer } from 'node:stream/consumers';
import { loadWorkView, type WorkView } from '../../catalog/encoding/work-view-store.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { commitThumbnail } from '../../catalog/pictures/picture-store.ts';
import { runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import { writeBlurhash } from '../../media/images/blurhash.ts';
import { MINIATURE } from '../../media/images/miniature.ts';
import { chooseThumbnail, planThumbnails } from '../../media/images/thumbnail.ts';
import { openPlanned } from '../encode/open-joined.ts';
import { discardAfter, discardObjects } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import { LeaseLost } from '../queue/hold-lease.ts';
import type { HeldWork } from '../queue/run-task.ts';
import type { Poster } from './make-posters.ts';
import { thumbnailKey } from './picture-shelf.ts';

/** Makes a long video's first thumbnail from its source, for the time until it is encoded. */
export async function storeThumbnail({ claim }: HeldWork, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const view = await loadWorkView(deps.db, claim.work);
  if (view === null) throw new LeaseLost();
  const picture = await takePicture(view, deps, signal);
  const key = thumbnailKey(claim);
  try {
    if (picture !== null) await deps.storage.put(key, picture.jpeg, { contentType: 'image/jpeg' }, signal);
    const stored = picture && { key, sizeBytes: picture.jpeg.length, blurhash: picture.blurhash };
    const unwanted = await inTransaction(deps.db, async (tx) => {
      const end = await commitThumbnail(tx, claim, stored);
      return end.unwanted;
    });
    await discardObjects(deps.storage, unwanted, deps.report);
  } catch (error) {
    await discardAfter(error, deps, [key]);
    throw error;
  }
}

async function takePicture(view: WorkView, deps: JobDeps, signal: AbortSignal): Promise<Poster | null> {
  const local = await openPlanned(deps.sources, view, signal);
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
