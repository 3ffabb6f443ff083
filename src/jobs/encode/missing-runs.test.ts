import { expect, test } from 'vitest';
import { planMissingRuns } from './missing-runs.ts';

test.each([
  { name: 'no segments exist: one process for all', stored: [[], []], expected: ['4-8: 0,1'] },
  { name: 'all segments exist: no process', stored: [[4, 5, 6, 7]], expected: [] },
  {
    name: 'a rung with gaps gets its own processes',
    stored: [[], [5], []],
    expected: ['4-8: 0,2', '4-5: 1', '6-8: 1'],
  },
  { name: 'segments outside the range are ignored', stored: [[3, 8], [4]], expected: ['4-8: 0', '5-8: 1'] },
])('plans encoder runs: $name', ({ stored, expected }) => {
  const runs = planMissingRuns(
    { fromSegment: 4, toSegment: 8 },
    stored.map((segments) => new Set(segments)),
  );
  expect(runs.map(({ range, renditions }) => `${range.fromSegment}-${range.toSegment}: ${renditions}`)).toEqual(
    expected,
  );
});
