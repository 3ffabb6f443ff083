import { buffer } from 'node:stream/consumers';
import { writeBlurhash } from '../../media/images/blurhash.ts';
import { MINIATURE } from '../../media/images/miniature.ts';
import { createMultipartReader } from '../../media/images/multipart-reader.ts';
import { planPosters } from '../../media/images/plan-images.ts';
import type { ImageRun } from './image-run.ts';
import { readStretches } from './read-rendition.ts';

const MAX_POSTER_BYTES = 16 * 2 ** 20;
const MINIATURE_BYTES = 4 * MINIATURE.widthPx * MINIATURE.heightPx;

/** A thumbnail that is not stored yet. */
export type Poster = { jpeg: Buffer; blurhash: string };

/**
 * Extracts the frames shown at some moments, in the order of `ticks`. Each frame is decoded from the keyframe before
 * it.
 */
export async function makePosters(run: ImageRun, ticks: readonly number[], signal: AbortSignal): Promise<Poster[]> {
  const { rendition, frame } = run.high;
  const stretches = ticks.map((tick) => ({ fromTick: tick, toTick: tick + 1 }));
  const { stream, ticks: shown } = await readStretches(run.storage, rendition, stretches, signal);
  const ffmpeg = await run.start(planPosters(shown, frame), stream, signal);
  const [jpegs, miniatures] = await Promise.all(ffmpeg.outputs.map((output) => buffer(output)));
  await ffmpeg.done;
  const made = createMultipartReader(MAX_POSTER_BYTES).push(jpegs ?? Buffer.alloc(0));
  if (made.length !== shown.length) throw new Error(`Expected ${shown.length} images, got ${made.length}.`);
  const posters = made.map((jpeg, index) => {
    const rgba = (miniatures ?? Buffer.alloc(0)).subarray(index * MINIATURE_BYTES, (index + 1) * MINIATURE_BYTES);
    return { jpeg, blurhash: writeBlurhash({ ...MINIATURE, rgba }) };
  });
  return ticks.map((tick) => {
    const at = Math.max(
      0,
      shown.findLastIndex((one) => one <= tick),
    );
    // Each moment is in a chunk, so its frame is among the decoded ones.
    return posters[at] as Poster;
  });
}
