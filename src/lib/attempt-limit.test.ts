import { expect, test } from 'vitest';
import { createAttemptLimit } from './attempt-limit.ts';

test('limits attempts per key', () => {
  const mayTry = createAttemptLimit({ burst: 2, perSec: 4 });
  expect([0, 0, 0, 100].map((nowMs) => mayTry('a', nowMs))).toEqual([true, true, false, false]);
  expect(mayTry('b', 100)).toBe(true);
  expect([400, 400, 700].map((nowMs) => mayTry('a', nowMs))).toEqual([true, false, true]);
});
