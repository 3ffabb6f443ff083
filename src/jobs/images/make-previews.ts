import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { choosePreview, PREVIEW_NAMES, planPreviews } from '../../media/images/plan-previews.ts';
import type { ImageRun } from './image-run.ts';
import { readStretches } from './read-rendition.ts';

/** Creates and stores animations that show the moments of a video one after another. Returns their names. */
export async function makePreviews(
  run: ImageRun,
  ticks: readonly number[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { rendition, frame } = run.middle;
  const endTick = Math.round((run.durationMs / 1000) * rendition.timescale);
  const stretches = choosePreview(ticks, endTick, rendition.timescale);
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-preview-'));
  try {
    const { stream } = await readStretches(run.storage, rendition, stretches, signal);
    const ffmpeg = await run.start(planPreviews(stretches, frame, run.rate), stream, signal, folder);
    await ffmpeg.done;
    for (const name of PREVIEW_NAMES) await run.output.put(name, await readFile(path.join(folder, name)), signal);
    return PREVIEW_NAMES;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
