import { expect, test } from 'vitest';
import { shareThreads } from './share-threads.ts';

test.each([
  { threads: 2, atWork: [], expected: 2 },
  { threads: 2, atWork: [2], expected: 1 },
  { threads: 1, atWork: [1], expected: 1 },
  { threads: 6, atWork: [6], expected: 3 },
  { threads: 6, atWork: [6, 3, 2], expected: 1 },
  { threads: 64, atWork: [], expected: 8 },
  { threads: 64, atWork: Array<number>(20).fill(8), expected: 1 },
])('of $threads threads, beside $atWork: $expected', ({ threads, atWork, expected }) => {
  expect(shareThreads(threads, atWork)).toBe(expected);
});

test.each([1, 2, 4, 16, 64])(
  'with all slots of %i threads taken, no more than three threads a processor are',
  (threads) => {
    const taken: number[] = [];
    for (let slot = 0; slot < threads; slot += 1) taken.push(shareThreads(threads, taken));
    expect(taken.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(3 * threads);
  },
);
