import { expect, test } from 'vitest';
import { planMissingRuns } from './missing-runs.ts';

test.each([
  { name: 'nothing is there: one process for all', stored: [[], []], expected: ['4-8: 0,1'] },
  { name: 'all is there: none', stored: [[4, 5, 6, 7]], expected: [] },
  {
    name: 'a rung with holes has processes of its own',
    stored: [[], [5], []],
    expected: ['4-8: 0,2', '4-5: 1', '6-8: 1'],
  },
  { name: 'what lies outside of the range does not count', stored: [[3, 8], [4]], expected: ['4-8: 0', '5-8: 1'] },
])('plans runs: $name', ({ stored, expected }) => {
  const runs = planMissingRuns(
    { fromSegment: 4, toSegment: 8 },
    stored.map((segments) => new Set(segments)),
  );
  expect(runs.map(({ range, renditions }) => `${range.fromSegment}-${range.toSegment}: ${renditions}`)).toEqual(
    expected,
  );
});
