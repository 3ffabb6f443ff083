import { expect, test } from 'vitest';
import { findRedundantRungs } from './redundant-rungs.ts';

test.each<[string, [number, number][], number[]]>([
  [
    'each needs half of the rung above',
    [
      [1080, 4000],
      [720, 2000],
      [480, 1000],
      [240, 500],
    ],
    [],
  ],
  [
    'slides: all need about the same',
    [
      [1080, 300],
      [720, 280],
      [480, 260],
      [360, 250],
      [240, 240],
    ],
    [720, 480, 360],
  ],
  [
    'only the middle is close to the one above it',
    [
      [1080, 4000],
      [720, 2000],
      [480, 1900],
      [240, 500],
    ],
    [480],
  ],
  [
    'small steps add up to a useful one',
    [
      [1080, 1000],
      [720, 850],
      [480, 700],
      [240, 300],
    ],
    [720],
  ],
  [
    'a lower rung that needs more is useless',
    [
      [1080, 500],
      [720, 600],
      [240, 200],
    ],
    [720],
  ],
  [
    'two rungs are both kept',
    [
      [720, 300],
      [240, 290],
    ],
    [],
  ],
  ['a single rung is kept', [[240, 290]], []],
])('finds redundant rungs: %s', (_, ladder, redundant) => {
  expect(findRedundantRungs(ladder.map(([rung, bps]) => ({ rung, bps })))).toEqual(redundant);
});
