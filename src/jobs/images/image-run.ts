import type { Readable } from 'node:stream';
import type { ImageRendition, ImageView } from '../../catalog/images/image-view-store.ts';
import { covers } from '../../catalog/renditions/coverage.ts';
import type { FfmpegPlan } from '../../media/ffmpeg/ffmpeg-plan.ts';
import { type FfmpegRun, runFfmpeg } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { FrameFormat } from '../../media/images/plan-images.ts';
import type { SheetRange } from '../../media/images/storyboard.ts';
import { BT709, coloursOf } from '../../media/probe/colours.ts';
import type { Rational } from '../../media/probe/source-facts.ts';
import type { Storage } from '../../ports/storage.ts';
import type { ImageOutput } from './image-output.ts';

/** A rendition from which images are extracted, and the format of its frames. */
export type Chosen = { rendition: ImageRendition; frame: FrameFormat };

/** Inputs for the images of one video. `low`, `middle` and `high` may be the same rendition. */
export type ImageRun = {
  storage: Storage;
  output: ImageOutput;
  durationMs: number;
  rate: Rational;
  /** Display size before its sides are rounded to even numbers. */
  shape: { widthPx: number; heightPx: number };
  /** Rendition that is cheapest to decode completely. */
  low: Chosen;
  /** Rendition that is large enough for an animation. */
  middle: Chosen;
  /** Rendition for thumbnails. */
  high: Chosen;
  /** Starts ffmpeg for this video. `outputDir` is a folder that it may write to. */
  start(plan: FfmpegPlan, input: Readable, signal: AbortSignal, outputDir?: string): Promise<FfmpegRun>;
};

const NICENESS = 10;
/** Minimum short side of a rendition for animations, in pixels. `ENOUGH_FOR_POSTER` applies to thumbnails. */
const ENOUGH_FOR_PREVIEW = 360;
const ENOUGH_FOR_POSTER = 720;

/**
 * Chooses the renditions from which images are extracted. Thumbnails use the highest rendition that was encoded,
 * because its keyframes have the same times as those of the lowest rendition. A pass-through source is used only if no
 * other rendition is large enough.
 */
export function chooseRenditions(view: ImageView): Pick<ImageRun, 'low' | 'middle' | 'high'> {
  const all = view.renditions.map((rendition) => ({ rendition, frame: formatOf(rendition, view) }));
  const [low] = all;
  // A view has at least one rendition.
  const highest = all.at(-1) as Chosen;
  const encoded = all.findLast(({ rendition }) => rendition.origin === 'encode');
  const isEnough = encoded !== undefined && shortSide(encoded) >= ENOUGH_FOR_POSTER;
  return {
    low: low ?? highest,
    middle: all.find((one) => shortSide(one) >= ENOUGH_FOR_PREVIEW) ?? highest,
    high: isEnough ? encoded : highest,
  };
}

/** Returns the lowest encoded rendition that has all chunks of a time range, or null. */
export function chooseStored(view: ImageView, { fromSec, toSec }: SheetRange): Chosen | null {
  const rendition = view.renditions.find(
    ({ origin, chunks, timescale }) => origin === 'encode' && covers(chunks, fromSec * timescale, toSec * timescale),
  );
  return rendition === undefined ? null : { rendition, frame: formatOf(rendition, view) };
}

export function shapeOf({ video }: ImageView): ImageRun['shape'] {
  return { widthPx: video.displayWidthPx, heightPx: video.displayHeightPx };
}

/** Returns a function that starts ffmpeg with the limits for images. */
export function startImageFfmpeg(durationMs: number, memoryBytes: number | undefined): ImageRun['start'] {
  return (plan, input, signal, outputDir) =>
    runFfmpeg(
      plan,
      {
        sourcePath: null,
        input,
        niceness: NICENESS,
        sourceDurationSec: durationMs / 1000,
        ...(outputDir === undefined ? {} : { outputDir }),
        memoryBytes,
      },
      signal,
    );
}

function formatOf({ origin, widthPx, heightPx, colours }: ImageRendition, { video }: ImageView): FrameFormat {
  return { widthPx, heightPx, colours: colours ?? (origin === 'encode' ? BT709 : coloursOf(video)) };
}

function shortSide({ rendition: { widthPx, heightPx } }: Chosen): number {
  return Math.min(widthPx, heightPx);
}
