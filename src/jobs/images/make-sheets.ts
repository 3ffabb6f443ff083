import type { Readable } from 'node:stream';
import type { StoredSheets } from '../../catalog/images/image-view-store.ts';
import type { Stretch } from '../../media/images/cut-samples.ts';
import { sheetName } from '../../media/images/image-set.ts';
import { MINIATURE } from '../../media/images/miniature.ts';
import { type ChosenMoments, createMomentChooser, type MomentChooser } from '../../media/images/moment-chooser.ts';
import { createMultipartReader } from '../../media/images/multipart-reader.ts';
import { planSheets } from '../../media/images/plan-images.ts';
import {
  countSheets,
  missingSheets,
  planStoryboard,
  type SheetRange,
  type Storyboard,
} from '../../media/images/storyboard.ts';
import type { ImageRun } from './image-run.ts';
import { readRendition } from './read-rendition.ts';

/** Number of thumbnails to choose from. */
export const POSTERS = 5;

const MAX_SHEET_BYTES = 32 * 2 ** 20;
/**
 * Minimum duration in ms of videos for which thumbnails are chosen only among keyframes, which are cheapest to decode.
 * Encoded renditions have a keyframe every two seconds.
 */
const KEYFRAMES_FROM_MS = 24_000;
const SAMPLES_OF_OTHERS = 96;
const MINIATURE_BYTES = MINIATURE.widthPx * MINIATURE.heightPx;

/**
 * Decodes the parts of the lowest rendition that were not decoded during the encode. Stores the missing storyboard
 * sheets, and chooses the most informative moments of the whole video.
 */
export async function makeSheets(
  run: SheetRun,
  stored: readonly StoredSheets[],
  signal: AbortSignal,
): Promise<{ board: Storyboard; moments: ChosenMoments }> {
  const chooser = openChooser(run);
  for (const { tick, grey } of stored.flatMap(({ moments }) => moments)) chooser.push(tick, grey);
  for (const range of missingSheets(run.durationMs, stored)) await makeSheetRange(run, { range, chooser }, signal);
  return { board: planStoryboard(run.shape, run.durationMs), moments: chooser.choose(POSTERS) };
}

/** Part of an `ImageRun` needed for sheets. */
export type SheetRun = Pick<ImageRun, 'storage' | 'output' | 'durationMs' | 'shape' | 'low' | 'start'>;

/** Creates a chooser that selects among the moments of the whole video. */
export function openChooser({ durationMs, low }: Pick<SheetRun, 'durationMs' | 'low'>): MomentChooser {
  return createMomentChooser((durationMs / 1000) * low.rendition.timescale);
}

/** Decodes the time range of some sheets, stores them, and adds their moments to the thumbnail candidates. */
export async function makeSheetRange(
  run: SheetRun,
  { range, chooser }: { range: SheetRange; chooser: MomentChooser },
  signal: AbortSignal,
): Promise<void> {
  const { rendition, frame } = run.low;
  const board = planStoryboard(run.shape, run.durationMs);
  const isKeyed = rendition.origin === 'encode' && run.durationMs >= KEYFRAMES_FROM_MS;
  const sampleEverySec = isKeyed ? null : run.durationMs / 1000 / SAMPLES_OF_OTHERS;
  const plan = planSheets({ board, range, sampleEverySec }, frame);
  const stream = readRendition(run.storage, rendition, stretchOf(range, run), signal);
  const ffmpeg = await run.start(plan, stream, signal);
  const [sheets, grey, times] = ffmpeg.outputs;
  if (sheets === undefined || grey === undefined || times === undefined)
    throw new Error(`Expected three outputs (sheets, grey frames, times) of ffmpeg, got ${ffmpeg.outputs.length}.`);
  const [end] = await Promise.all([
    storeSheets(run, { stream: sheets, first: range.first }, signal),
    takeMoments(chooser, grey, times),
  ]);
  await ffmpeg.done;
  if (end !== range.end) throw new Error(`Expected sheets ${range.first} to ${range.end}, got them to ${end}.`);
}

/**
 * Returns the ticks of a range of sheets. The last range extends to the end of the video, however the duration was
 * rounded.
 */
export function stretchOf({ end, fromSec, toSec }: SheetRange, { shape, durationMs, low }: SheetRun): Stretch {
  const { timescale } = low.rendition;
  const isLast = end === countSheets(planStoryboard(shape, durationMs));
  return {
    fromTick: Math.round(fromSec * timescale),
    toTick: isLast ? Number.POSITIVE_INFINITY : Math.round(toSec * timescale),
  };
}

/** Stores sheets with consecutive numbers. Returns the number after the last one. */
async function storeSheets(
  { output }: SheetRun,
  { stream, first }: { stream: Readable; first: number },
  signal: AbortSignal,
): Promise<number> {
  const reader = createMultipartReader(MAX_SHEET_BYTES);
  let next = first;
  for await (const bytes of stream) {
    for (const sheet of reader.push(bytes)) {
      await output.put(sheetName(next), sheet, signal);
      next += 1;
    }
  }
  return next;
}

/** Pairs miniatures with their times, which arrive on two streams independently. */
async function takeMoments(chooser: MomentChooser, grey: Readable, times: Readable): Promise<void> {
  const greys: Uint8Array[] = [];
  const ticks: number[] = [];
  const pair = () => {
    while (greys.length > 0 && ticks.length > 0) {
      // Both arrays were just checked not to be empty.
      chooser.push(ticks.shift() as number, greys.shift() as Uint8Array);
    }
  };
  await Promise.all([
    readEach(grey, MINIATURE_BYTES, (one) => {
      greys.push(one);
      pair();
    }),
    readLines(times, (line) => {
      const tick = /^0, *-?\d+, *(-?\d+),/.exec(line)?.[1];
      if (tick === undefined) return;
      ticks.push(Number(tick));
      pair();
    }),
  ]);
}

async function readEach(stream: Readable, sizeBytes: number, take: (bytes: Uint8Array) => void): Promise<void> {
  let held = Buffer.alloc(0);
  for await (const bytes of stream) {
    held = Buffer.concat([held, bytes]);
    // Copy the miniature, so that it does not retain the whole read buffer.
    for (; held.length >= sizeBytes; held = held.subarray(sizeBytes))
      take(Uint8Array.from(held.subarray(0, sizeBytes)));
  }
}

async function readLines(stream: Readable, take: (line: string) => void): Promise<void> {
  let held = '';
  for await (const bytes of stream) {
    const lines = (held + String(bytes)).split('\n');
    held = lines.pop() ?? '';
    lines.forEach(take);
  }
}
