import { expect, test } from 'vitest';
import { shareThreads } from './share-threads.ts';

const all = (isPaused: boolean) => (taken: readonly number[]) => taken.map((threads) => ({ threads, isPaused }));
const working = all(false);

test.each([
  { threads: 2, atWork: [], expected: 2 },
  { threads: 2, atWork: [2], expected: 1 },
  { threads: 1, atWork: [1], expected: 1 },
  { threads: 6, atWork: [6], expected: 3 },
  { threads: 6, atWork: [6, 3, 2], expected: 1 },
  { threads: 64, atWork: [], expected: 8 },
  { threads: 64, atWork: Array<number>(20).fill(8), expected: 1 },
])(
  'a new encoder gets $expected of $threads threads if active encoders have $atWork',
  ({ threads, atWork, expected }) => {
    expect(shareThreads(threads, working(atWork))).toBe(expected);
  },
);

test.each([
  { threads: 2, paused: [2], expected: 2 },
  { threads: 2, paused: [2, 2], expected: 1 },
  { threads: 8, paused: [8, 4], expected: 4 },
])(
  'a new encoder gets $expected of $threads threads if paused encoders have $paused',
  ({ threads, paused, expected }) => {
    const others = paused.map((taken) => ({ threads: taken, isPaused: true }));
    expect(shareThreads(threads, others)).toBe(expected);
  },
);

test.each(
  [1, 2, 4, 16, 64].flatMap((threads) => [
    { threads, what: 'at work', others: working },
    { threads, what: 'paused by turns', others: all(true) },
  ]),
)(
  'uses at most three threads per processor when all slots of $threads threads have encoders $what',
  ({ threads, others }) => {
    const taken: number[] = [];
    for (let slot = 0; slot < threads; slot += 1) taken.push(shareThreads(threads, others(taken)));
    expect(taken.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(3 * threads);
  },
);
