import { expect, test } from 'vitest';
import { joinCuts } from './join-cuts.ts';

test('joined periods follow each other without a gap, in one timescale', () => {
  const grid = { kind: 'source' } as const;
  const joined = joinCuts(
    [
      { timescale: 90_000, startTicks: [0, 180_001], endTicks: 300_001, grid },
      { timescale: 44_100, startTicks: [0, 88_200], endTicks: 132_301, grid },
      { timescale: 90_000, startTicks: [0], endTicks: 90_000, grid },
    ],
    90_000,
  );
  expect(joined).toEqual({
    timescale: 90_000,
    startTicks: [0, 180_001, 300_001, 480_001, 570_003],
    endTicks: 660_003,
    grid,
  });
});
