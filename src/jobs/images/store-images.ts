import type { MediaKey } from '../../catalog/db.ts';
import { imageKeyIn } from '../../catalog/images/image-key.ts';
import { type ImageView, loadImageView, type StoredSheets } from '../../catalog/images/image-view-store.ts';
import type { StoredImage } from '../../catalog/images/shown-images-store.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { commitImages } from '../../catalog/lifecycle/image-store.ts';
import { posterName, sheetName } from '../../media/images/image-set.ts';
import type { ChosenMoments } from '../../media/images/moment-chooser.ts';
import { discardAfter, discardObjects } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { createImageOutput, type ImageOutput, thumbnailKey } from './image-output.ts';
import { chooseRenditions, type ImageRun, shapeOf, startImageFfmpeg } from './image-run.ts';
import { makePosters, type Poster } from './make-posters.ts';
import { makePreviews } from './make-previews.ts';
import { makeSheets } from './make-sheets.ts';

/** Makes the storyboard, thumbnails and previews of a video from its encoded renditions. */
export async function storeImages({ claim, report }: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { task } = claim;
  const view = await loadImageView(deps.db, task);
  if (view === null || view.renditions.length === 0) throw new LeaseLost();
  const folder = `${task.id}-${claim.attempt}`;
  const output = createImageOutput(deps.storage, task.key, folder);
  const run = openRun(view, output, deps);
  const key = thumbnailKey(claim);
  try {
    const { board, moments } = await makeSheets(run, view.sheets, signal);
    report(0.5);
    const { posters, shown } = await takePosters(run, view, moments, signal);
    for (const [index, { jpeg }] of posters.entries()) await output.put(posterName(index + 1), jpeg, signal);
    const previews = deps.makesPreviews ? await makePreviews(run, moments.ticks, signal) : [];
    const { sizeBytes } = await deps.storage.put(key, shown.jpeg, { contentType: 'image/jpeg' }, signal);
    const thumbnail = { key, sizeBytes, blurhash: shown.blurhash };
    const sheetFolders = view.sheets.map(({ first, end, folder }) => ({ first, end, folder }));
    const set = {
      timelineId: task.timelineId,
      folder,
      board,
      posters: posters.length,
      previews,
      ...(sheetFolders.length > 0 && { sheetFolders }),
    };
    const objects = [...output.objects, ...view.sheets.flatMap((sheets) => sheetObjects(task.key, sheets))];
    const rejected = await inTransaction(deps.db, async (tx) => {
      const end = await commitImages(tx, claim, { set, objects, thumbnail });
      return end.rejected;
    });
    await discardObjects(deps.storage, rejected, deps.report);
  } catch (error) {
    await discardAfter(error, deps, [...output.written, key]);
    throw error;
  }
}

function sheetObjects(key: MediaKey, { first, folder, sizesBytes }: StoredSheets): StoredImage[] {
  return sizesBytes.map((sizeBytes, index) => ({
    key: imageKeyIn(key, folder, sheetName(first + index)),
    sizeBytes,
    use: 'thumbnail',
  }));
}

function openRun(view: ImageView, output: ImageOutput, deps: JobDeps): ImageRun {
  return {
    storage: deps.storage,
    output,
    durationMs: view.durationMs,
    rate: view.video.rate,
    shape: shapeOf(view),
    ...chooseRenditions(view),
    start: startImageFfmpeg(view.durationMs, deps.encoderMemoryBytes),
  };
}

/**
 * Returns the suggested thumbnails, and the one to show: the thumbnail at the requested time, or else the most
 * informative one.
 */
async function takePosters(
  run: ImageRun,
  { thumbnailTimeMs }: ImageView,
  { ticks, best }: ChosenMoments,
  signal: AbortSignal,
): Promise<{ posters: Poster[]; shown: Poster }> {
  const { timescale } = run.high.rendition;
  const lastTick = Math.max(0, Math.ceil((run.durationMs / 1000) * timescale) - 1);
  const requested =
    thumbnailTimeMs === null ? [] : [Math.min(lastTick, Math.round((thumbnailTimeMs / 1000) * timescale))];
  const posters = await makePosters(run, [...ticks, ...requested], signal);
  // `makePosters` returns one poster for each moment, in order.
  const shown = posters[requested.length > 0 ? ticks.length : best] as Poster;
  return { posters: posters.slice(0, ticks.length), shown };
}
