import { expect, test } from 'vitest';
import { choosePreview } from './plan-previews.ts';

const SCALE = 1000;
test.each([
  { what: 'a short video shows its beginning', ticks: [100, 2000], endTick: 6000, expected: [[0, 3000]] },
  { what: 'a very short one is shown completely', ticks: [0], endTick: 40, expected: [[0, 40]] },
  {
    what: 'moments far apart',
    ticks: [1000, 9000, 20_000],
    endTick: 30_000,
    expected: [
      [1000, 2000],
      [9000, 10_000],
      [20_000, 21_000],
    ],
  },
  {
    what: 'moments close together',
    ticks: [5000, 5100, 9000],
    endTick: 30_000,
    expected: [
      [5000, 6000],
      [6000, 7000],
      [9000, 10_000],
    ],
  },
  {
    what: 'moments at the end',
    ticks: [0, 9500, 9900],
    endTick: 10_000,
    expected: [
      [0, 1000],
      [8000, 9000],
      [9000, 10_000],
    ],
  },
])('chooses a preview: $what', ({ ticks, endTick, expected }) => {
  const stretches = choosePreview(ticks, endTick, SCALE);
  expect(stretches.map(({ fromTick, toTick }) => [fromTick, toTick])).toEqual(expected);
});
