import { expect, test } from 'vitest';
import { afterGap } from './gap-watch.ts';

const ranges = (list: readonly (readonly [number, number])[]) => ({
  length: list.length,
  start: (index: number) => list[index]?.[0] ?? 0,
  end: (index: number) => list[index]?.[1] ?? 0,
});

test.each([
  { of: 'in the middle of a loaded range', list: [[0, 12]], sec: 5, target: null },
  { of: 'at the end of the last loaded range', list: [[0, 12]], sec: 12, target: null },
  {
    of: 'before a gap',
    list: [
      [0, 12],
      [16, 20],
    ],
    sec: 11.9,
    target: 16.05,
  },
  {
    of: 'within a gap',
    list: [
      [0, 12],
      [16, 20],
    ],
    sec: 14,
    target: 16.05,
  },
  { of: 'before the first loaded range', list: [[1, 12]], sec: 0, target: 1.05 },
  { of: 'without loaded media', list: [], sec: 3, target: null },
] as const)('$of, playback continues at $target', ({ list, sec, target }) => {
  expect(afterGap(ranges(list), sec)).toBe(target);
});
