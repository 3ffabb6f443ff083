import type { Readable } from 'node:stream';
import { type ChosenMoments, createMomentChooser, type MomentChooser } from '../../media/images/choose-moments.ts';
import { MINIATURE } from '../../media/images/miniature.ts';
import { createMultipartReader } from '../../media/images/multipart.ts';
import { sheetName } from '../../media/images/picture-set.ts';
import { planSheets } from '../../media/images/plan-pictures.ts';
import { countSheets, planStoryboard, type Storyboard } from '../../media/images/storyboard.ts';
import type { PictureRun } from './picture-run.ts';
import { readRendition } from './read-rendition.ts';

/** Thumbnails to choose from. */
export const POSTERS = 5;

const MAX_SHEET_BYTES = 32 * 2 ** 20;
/** From here on keyframes, two seconds apart where we encoded, are enough to choose from, and cheapest to show. */
const KEYFRAMES_FROM_MS = 24_000;
const SAMPLES_OF_OTHERS = 96;
const MINIATURE_BYTES = MINIATURE.widthPx * MINIATURE.heightPx;

/** Decodes the lowest rendition once: stores the storyboard, and chooses the most informative moments. */
export async function makeSheets(
  run: PictureRun,
  signal: AbortSignal,
): Promise<{ board: Storyboard; moments: ChosenMoments }> {
  const { rendition, picture } = run.low;
  const board = planStoryboard(run.shape, run.durationMs);
  const isKeyed = rendition.origin === 'encode' && run.durationMs >= KEYFRAMES_FROM_MS;
  const plan = planSheets(board, picture, isKeyed ? null : run.durationMs / 1000 / SAMPLES_OF_OTHERS);
  const chooser = createMomentChooser((run.durationMs / 1000) * rendition.timescale);
  const stream = readRendition(run.storage, rendition, signal);
  const ffmpeg = await run.start(plan, stream, signal);
  const [sheets, grey, times] = ffmpeg.outputs;
  if (sheets === undefined || grey === undefined || times === undefined) throw new Error('Expected three outputs.');
  const [stored] = await Promise.all([storeSheets(run, sheets, signal), takeMoments(chooser, grey, times)]);
  await ffmpeg.done;
  if (stored !== countSheets(board)) throw new Error(`Expected ${countSheets(board)} sheets, got ${stored}.`);
  return { board, moments: chooser.choose(POSTERS) };
}

async function storeSheets({ output }: PictureRun, stream: Readable, signal: AbortSignal): Promise<number> {
  const reader = createMultipartReader(MAX_SHEET_BYTES);
  let stored = 0;
  for await (const bytes of stream) {
    for (const sheet of reader.push(bytes)) {
      await output.put(sheetName(stored), sheet, signal);
      stored += 1;
    }
  }
  return stored;
}

/** Brings miniatures and their times together, which come by two ways and not at the same moment. */
async function takeMoments(chooser: MomentChooser, grey: Readable, times: Readable): Promise<void> {
  const greys: Uint8Array[] = [];
  const ticks: number[] = [];
  const pair = () => {
    while (greys.length > 0 && ticks.length > 0) {
      // Both were just seen to hold one.
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
    // A copy of its own: what is kept must not keep the whole read alive.
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
