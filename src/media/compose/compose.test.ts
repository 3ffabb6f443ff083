import { expect, test } from 'vitest';
import type { CutList } from '../timeline/cut-list.ts';
import { planAudio } from './plan-audio.ts';
import { composeCutList, type PartRange, planPieces } from './plan-pieces.ts';

/** A timeline with 25 fps and segments of 4 s, 14 s in total. */
const GRID: CutList = {
  timescale: 25_000,
  startTicks: [0, 100_000, 200_000, 300_000],
  endTicks: 350_000,
  grid: { kind: 'frames', rate: { num: 25, den: 1 }, segmentFrames: 100, totalFrames: 350 },
};
const part = (fromSec: number, toSec: number): PartRange => {
  return { cutList: GRID, fromSec, toSec, frameTicks: 1000, isRecorded: false };
};
/** Returns the pieces in seconds, and marks those that need encoding. */
const reported = (parts: PartRange[], isExact: boolean) =>
  planPieces(parts, isExact).map(
    ({ part: of, segment, fromTick, toTick }) =>
      `${of}: ${fromTick / 25_000}-${toTick / 25_000}${segment === null ? ' encoded' : ''}`,
  );

test.each<[string, PartRange[], string[]]>([
  ['cuts on segment borders need no encoding', [part(4, 12)], ['0: 4-8', '0: 8-12']],
  ['a whole video is copied unchanged', [part(0, 99)], ['0: 0-4', '0: 4-8', '0: 8-12', '0: 12-14']],
  ['only the ends are encoded', [part(1.52, 10.52)], ['0: 1.52-4 encoded', '0: 4-8', '0: 8-10.52 encoded']],
  ['a cut within one segment is encoded completely', [part(5, 7)], ['0: 5-7 encoded']],
  ['times are rounded to the nearest frame', [part(4.019, 8)], ['0: 4-8']],
  ['a cut one frame from a border stays there', [part(4.04, 8)], ['0: 4.04-8 encoded']],
  ['short ends merge with their neighbours', [part(3.52, 12.52)], ['0: 3.52-8 encoded', '0: 8-12.52 encoded']],
  ['parts follow each other', [part(8, 12), part(0, 4)], ['0: 8-12', '1: 0-4']],
])('plans exact cuts: %s', (_, parts, expected) => {
  expect(reported(parts, true)).toEqual(expected);
});

test.each([
  [24_000, 24_000 / 1_001],
  [30_000, 30_000 / 1_001],
  [60_000, 60_000 / 1_001],
  [90_000, 24_000 / 1_001],
  [12_800, 30_000 / 1_001],
  [1_000, 60],
])('cuts lie on whole ticks of a timescale of %i at %d fps', (timescale, rate) => {
  const endTicks = 20 * timescale;
  const cutList: CutList = { timescale, startTicks: [0, 7 * timescale], endTicks, grid: { kind: 'source' } };
  const ranges = Array.from({ length: 90 }, (_, index): PartRange => {
    const fromSec = index * 0.1;
    return { cutList, fromSec, toSec: fromSec + 4.4, frameTicks: timescale / rate, isRecorded: false };
  });
  const ticks = planPieces(ranges, true).flatMap(({ fromTick, toTick }) => [fromTick, toTick]);
  expect(ticks.filter((tick) => !Number.isInteger(tick))).toEqual([]);
});

test.each<[PartRange, string[]]>([
  [part(1.5, 10.5), ['0: 0-4', '0: 4-8', '0: 8-12']],
  [part(5, 5.5), ['0: 4-8']],
  [part(13, 14), ['0: 12-14']],
])('without encoding moves the ends to the nearest segment borders (%#)', (range, expected) => {
  expect(reported([range], false)).toEqual(expected);
});

test.each<[number, number, string[]]>([
  [1.5, 10.5, ['0: 0-4', '0: 4-8', '0: 8-12']],
  [4, 8, ['0: 4-8']],
  [7.9, 8.1, ['0: 4-8', '0: 8-12']],
  [13, 14, ['0: 12-14']],
])('copies all segments of a stream that the range touches (%s to %s)', (fromSec, toSec, expected) => {
  expect(reported([{ ...part(fromSec, toSec), isRecorded: true }], true)).toEqual(expected);
});

test('the new timeline has no gap, and its audio is within half a frame of the video in each part', () => {
  const parts = Array.from({ length: 40 }, (_, index) => part((index % 7) / 3, 3 + (index % 5) * 1.7));
  const pieces = planPieces(parts, true);
  const cuts = composeCutList(pieces, 25_000);
  expect(cuts.startTicks.length).toBe(pieces.length);
  expect(cuts.endTicks).toBe(pieces.reduce((sum, { fromTick, toTick }) => sum + toTick - fromTick, 0));
  let frames = 0;
  for (const span of planAudio(pieces, 25_000)) {
    expect(span.firstFrame).toBe(frames);
    frames += span.frames;
    const index = pieces.findIndex((piece) => piece.part === span.part);
    const pictureLag = (cuts.startTicks[index] ?? 0) / 25_000 - (pieces[index]?.fromTick ?? 0) / 25_000;
    const soundLag = ((span.firstFrame - span.sourceFrame) * 1024) / 48_000;
    expect(Math.abs(pictureLag - soundLag)).toBeLessThan(0.5 * (1024 / 48_000) + 1e-9);
  }
  expect(Math.abs((frames * 1024) / 48_000 - cuts.endTicks / 25_000)).toBeLessThan(0.011);
});
