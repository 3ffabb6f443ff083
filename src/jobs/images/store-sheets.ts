import { loadImageView } from '../../catalog/images/image-view-store.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { commitSheets } from '../../catalog/lifecycle/image-store.ts';
import { sheetRange } from '../../media/images/storyboard.ts';
import { discardAfter } from '../encode/store-chunk.ts';
import type { JobDeps } from '../job-deps.ts';
import type { HeldTask } from '../queue/run-task.ts';
import { createImageOutput } from './image-output.ts';
import { chooseStored, shapeOf, startImageFfmpeg } from './image-run.ts';
import { makeSheetRange, openChooser, type SheetRun } from './make-sheets.ts';

/** Makes storyboard sheets of a video from the part that is encoded so far, while the encode continues. */
export async function storeSheets({ claim }: HeldTask, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { task } = claim;
  const view = await loadImageView(deps.db, task);
  if (view === null) throw new LeaseLost();
  const { durationMs } = view;
  const range = sheetRange(durationMs, task.fromSegment, task.toSegment);
  const low = chooseStored(view, range);
  // The planned rendition has failed in the meantime.
  if (low === null) throw new Error(`Expected a rendition with all frames from ${range.fromSec} to ${range.toSec} s.`);
  const folder = `${task.id}-${claim.attempt}`;
  const output = createImageOutput(deps.storage, task.key, folder);
  const start = startImageFfmpeg(durationMs, deps.encoderMemoryBytes);
  const run: SheetRun = { storage: deps.storage, output, durationMs, shape: shapeOf(view), low, start };
  const chooser = openChooser(run);
  try {
    await makeSheetRange(run, { range, chooser }, signal);
    const moments = chooser
      .candidates()
      .map(({ tick, grey }) => ({ tick, grey: Buffer.from(grey).toString('base64') }));
    const sizesBytes = output.objects.map(({ sizeBytes }) => sizeBytes);
    await inTransaction(deps.db, (tx) => commitSheets(tx, claim, { folder, sizesBytes, moments }));
  } catch (error) {
    await discardAfter(error, deps, output.written);
    throw error;
  }
}
