import { expect, test } from 'vitest';
import { makeFacts, makeVideoFacts } from '../../../test/support/media/source-facts.ts';
import { planChunks, planEvenChunks, planShrinkingChunks } from './chunk-plan.ts';
import { type CutList, planFrameGrid, segmentStartTicks } from './cut-list.ts';

test.each([
  { num: 24000, den: 1001, timescale: 24000, frameTicks: 1001, segmentFrames: 96 },
  { num: 30000, den: 1001, timescale: 30000, frameTicks: 1001, segmentFrames: 120 },
  { num: 60000, den: 1001, timescale: 60000, frameTicks: 1001, segmentFrames: 240 },
  { num: 25, den: 1, timescale: 25000, frameTicks: 1000, segmentFrames: 100 },
  { num: 25, den: 2, timescale: 25, frameTicks: 2, segmentFrames: 50 },
  { num: 1, den: 1, timescale: 1000, frameTicks: 1000, segmentFrames: 4 },
])('$num/$den fps has segments of $segmentFrames frames', ({ num, den, timescale, frameTicks, segmentFrames }) => {
  const facts = makeFacts({ durationSec: 61, video: makeVideoFacts({ rate: { num, den } }) });
  const cutList = planFrameGrid(facts);
  const totalFrames = Math.round((61 * num) / den);
  expect(cutList).toMatchObject({ timescale, endTicks: totalFrames * frameTicks });
  expect(cutList.grid).toMatchObject({ segmentFrames, totalFrames });
  expect(cutList.startTicks[1]).toBe(segmentFrames * frameTicks);
  expect(cutList.startTicks).toHaveLength(Math.ceil(totalFrames / segmentFrames));
});

test('cuts audio without video every 188 AAC frames', () => {
  const cutList = planFrameGrid(makeFacts({ video: null, durationSec: 10 }));
  expect(cutList.grid).toMatchObject({ segmentFrames: 188, totalFrames: 469 });
  expect((cutList.startTicks[1] ?? 0) / cutList.timescale).toBe((188 * 1024) / 48000);
});

test('a first object of about 8 s is followed by objects of up to 32 s on both grids', () => {
  const facts = makeFacts({ durationSec: 100, video: makeVideoFacts({ rate: { num: 24000, den: 1001 } }) });
  const frames = planChunks(planFrameGrid(facts));
  expect(frames.map((chunk) => [chunk.fromSegment, chunk.toSegment])).toEqual([
    [0, 2],
    [2, 10],
    [10, 17],
    [17, 25],
  ]);
  const startTicks = [0, 10.4, 15.7, 23, 35, 47, 50].map((sec) => sec * 1000);
  const source: CutList = { timescale: 1000, startTicks, endTicks: 90_000, grid: { kind: 'source' } };
  expect(planChunks(source).map((chunk) => [chunk.fromSegment, chunk.toSegment])).toEqual([
    [0, 1],
    [1, 4],
    [4, 6],
    [6, 7],
  ]);
});

test.each([
  { durationSec: 20, sizes: [4] },
  { durationSec: 30, sizes: [3, 4] },
  { durationSec: 60, sizes: [7, 7] },
  { durationSec: 121, sizes: [7, 7, 8, 8] },
  { durationSec: 240, sizes: [7, 7, 7, 8, 7, 8, 7, 8] },
])('splits $durationSec s for two workers so that both finish at about the same time', (wanted) => {
  const cutList = planFrameGrid(makeFacts({ durationSec: wanted.durationSec }));
  expect(sizesOf(planEvenChunks(cutList, 1))).toEqual(wanted.sizes);
});

test.each([
  { durationSec: 20, sizes: [4] },
  { durationSec: 60, sizes: [7, 7] },
])('splits $durationSec s into chunks of $sizes segments for two workers', ({ durationSec, sizes }) => {
  const cutList = planFrameGrid(makeFacts({ durationSec }));
  expect(sizesOf(planShrinkingChunks(cutList, 1))).toEqual(sizes);
});

test.each([75, 90, 121, 240, 3_600])(
  'the chunks of a video of %i s get smaller at the end and contain every segment',
  (durationSec) => {
    const cutList = planFrameGrid(makeFacts({ durationSec }));
    const chunks = planShrinkingChunks(cutList, 1);
    expect(chunks[0]?.fromSegment).toBe(1);
    expect(chunks.at(-1)?.toSegment).toBe(cutList.startTicks.length);
    for (const [index, { toSegment }] of chunks.slice(0, -1).entries())
      expect(chunks[index + 1]?.fromSegment).toBe(toSegment);
    const sizes = sizesOf(chunks);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(8);
    // At the end, one encoder works on at most 20 s while the others are idle.
    for (const size of sizes.slice(-2)) expect(size).toBeLessThanOrEqual(5);
    expect(chunks.length).toBeLessThanOrEqual(planEvenChunks(cutList, 1).length + 3);
  },
);

function sizesOf(chunks: ReturnType<typeof planChunks>): number[] {
  return chunks.map(({ fromSegment, toSegment }) => toSegment - fromSegment);
}

test('returns the start of each segment, then the end of the timeline, and nothing beyond', () => {
  const cutList: CutList = { timescale: 1, startTicks: [0, 4], endTicks: 9, grid: { kind: 'source' } };
  expect([0, 1, 2].map((index) => segmentStartTicks(cutList, index))).toEqual([0, 4, 9]);
  expect(() => segmentStartTicks(cutList, 3)).toThrow('Expected segment 0 to 2, got 3.');
});
