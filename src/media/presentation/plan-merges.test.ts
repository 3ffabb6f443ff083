import { expect, test } from 'vitest';
import { type MergeCandidate, planMerges } from './plan-merges.ts';

/** Returns chunks with the given numbers of segments of 4 s each, without gaps. A negative number is a gap. */
function chunksOf(counts: readonly number[], sizeBytes = 1_000): MergeCandidate[] {
  const chunks: MergeCandidate[] = [];
  let firstSegment = 0;
  for (const count of counts) {
    if (count > 0) {
      const durationTicks = count * 4_000;
      const place = { firstSegment, segmentCount: count, startTick: firstSegment * 4_000, durationTicks };
      chunks.push({ ...place, samples: count * 96, sizeBytes });
    }
    firstSegment += Math.abs(count);
  }
  return chunks;
}

const ones = (count: number) => Array.from({ length: count }, () => 1);

test.each([
  { name: 'single segments become objects of 32 s', counts: ones(20), expected: [8, 8, 4] },
  {
    name: 'a growing rendition keeps segments that may still grow',
    counts: ones(20),
    isGrowing: true,
    expected: [8, 8],
  },
  { name: 'a gap ends a run', counts: [...ones(3), -2, ...ones(4)], expected: [3, 4] },
  {
    name: 'a gap of a growing rendition may close',
    counts: [...ones(3), -2, ...ones(4)],
    isGrowing: true,
    expected: [],
  },
  { name: 'one short chunk among merged ones is kept', counts: [2, 1, 2], expected: [] },
  { name: 'merged objects before a short chunk are kept', counts: [2, 8, 8, 1], expected: [] },
  { name: 'a growing start becomes one object', counts: [1, 1, 8, 8], isGrowing: true, expected: [2] },
  { name: 'merged objects are not changed', counts: [8, 8, 4], expected: [] },
  {
    name: 'large segments are merged into shorter objects',
    counts: ones(6),
    sizeBytes: 10 * 2 ** 20,
    expected: [2, 2, 2],
  },
])('plans merges: $name', ({ counts, isGrowing = false, sizeBytes, expected }) => {
  const merges = planMerges(chunksOf(counts, sizeBytes), { kind: 'video', timescale: 1_000, isGrowing });
  expect(merges.map((run) => run.length)).toEqual(expected);
});

test('does not merge audio with a different frame length or a jump in its times', () => {
  const chunks = ones(6).map((_, number): MergeCandidate => {
    const [frames, jump] = [48, number >= 4 ? 7 : 0];
    const ticks = frames * (number === 1 ? 2_048 : 1_024);
    const startTick = frames * 1_024 * (number + (number > 1 ? 1 : 0)) + jump;
    const place = { firstSegment: number, segmentCount: 1, startTick, durationTicks: ticks };
    return { ...place, samples: frames, sizeBytes: 100 };
  });
  const merges = planMerges(chunks, { kind: 'audio', timescale: 48_000, isGrowing: false });
  expect(merges.map((run) => run.map(({ firstSegment }) => firstSegment))).toEqual([
    [2, 3],
    [4, 5],
  ]);
});
