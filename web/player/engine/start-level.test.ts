import { expect, test } from 'vitest';
import { chooseStartLevel } from './start-level.ts';

const rates = [600_000, 1_400_000, 2_800_000, 5_000_000];

test.each([
  { lineBps: null, level: 0, why: 'nothing is known' },
  { lineBps: 500_000, level: 0, why: 'nothing is affordable' },
  { lineBps: 8_000_000, level: 1, why: 'the next would take 1.4 s' },
  { lineBps: 20_000_000, level: 2, why: 'the top would take 1 s' },
  { lineBps: 100_000_000, level: 3, why: 'all load immediately' },
])('a connection of $lineBps bit/s starts with rung $level: $why', ({ lineBps, level }) => {
  expect(chooseStartLevel(rates, lineBps)).toBe(level);
});

test('a faster connection never starts with a lower rung', () => {
  const levels = [1, 2, 4, 8, 16, 32, 64].map((mbps) => chooseStartLevel(rates, mbps * 1e6));
  expect(levels).toEqual(levels.toSorted((a, b) => a - b));
});
