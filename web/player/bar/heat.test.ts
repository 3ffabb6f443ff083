import { expect, test } from 'vitest';
import { heatPath, mostReplayed } from './heat.ts';

test('the curve is closed, spans the bar and has its peak at the top', () => {
  const path = heatPath([0, 50, 100, 20]);
  expect(path.startsWith('M0 100L0 94')).toBe(true);
  expect(path).toContain('62.5 0');
  expect(path.endsWith('L100 100Z')).toBe(true);
  expect(heatPath([])).toBe('');
});

test.each([
  { heat: [10, 20, 100, 10], expected: { at: 0.625, near: 0.375 } },
  { heat: Array.from({ length: 500 }, (_, index) => (index === 249 ? 9 : 1)), expected: { at: 0.499, near: 0.015 } },
  { heat: [100, 98, 100, 99], expected: null },
  { heat: [0, 0], expected: null },
  { heat: [], expected: null },
])('finds the most replayed of $heat.length buckets: $expected', ({ heat, expected }) => {
  expect(mostReplayed(heat)).toEqual(expected);
});
