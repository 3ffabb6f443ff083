import { expect, test } from 'vitest';
import { isWorthRaising, type Piece } from './is-worth-raising.ts';

const MBPS = 1_000_000;
const sustained = { atSec: 1, rate: 1, level: 3, peakBps: 3 * MBPS, lineBps: 12 * MBPS };
const pieces = (levels: readonly number[]): Piece[] =>
  levels.map((level, index) => ({ startSec: index * 4, endSec: index * 4 + 4, level }));

test.each([
  { levels: [0, 0, 0], isWorth: true, why: 'the next segments have a low rung' },
  { levels: [0], isWorth: false, why: 'only the segment being played has a low rung' },
  { levels: [0, 0], isWorth: true, why: 'the next segment begins after it can be fetched' },
  { levels: [0, 0, 3], isWorth: false, why: 'the buffer already ends with the higher rung' },
  { levels: [], isWorth: false, why: 'nothing is buffered' },
])('decides whether to replace the buffered levels $levels: $why', ({ levels, isWorth }) => {
  expect(isWorthRaising(pieces(levels), sustained)).toBe(isWorth);
});

test.each([
  { change: { lineBps: 3.2 * MBPS }, why: 'the bandwidth barely suffices for the rung' },
  { change: { atSec: 3.5 }, levels: [0, 0], why: 'the next segment begins too soon' },
  { change: { rate: 3 }, levels: [0, 0], why: 'playback is fast' },
  { change: { level: 0 }, why: 'the rung is not higher' },
])('buffered segments stay if $why', ({ change, levels = [0, 0, 0] }) => {
  expect(isWorthRaising(pieces(levels), { ...sustained, ...change })).toBe(false);
});
