import { expect, test } from 'vitest';
import { makeFacts } from '../../../test/support/media/source-facts.ts';
import { isSuspectedlyLong, whyClockIsBroken } from './judge-clock.ts';

const DAY_SEC = 86_000;

test.each([
  { what: 'ten seconds', durationSec: 10, sizeBytes: 1000, expected: false },
  { what: 'a day in 200 kB', durationSec: DAY_SEC, sizeBytes: 200_000, expected: true },
  { what: 'a day of speech', durationSec: DAY_SEC, sizeBytes: 500_000_000, expected: false },
])('tells whether the clock of $what is suspicious: $expected', ({ durationSec, sizeBytes, expected }) => {
  expect(isSuspectedlyLong(makeFacts({ durationSec, sizeBytes }))).toBe(expected);
});

const scan = { packets: 100, firstSec: 0, endSec: DAY_SEC, leaps: 1, leapSec: 0 };

test.each([
  { what: 'a jump over most of the day', scan: { ...scan, leapSec: DAY_SEC - 2 }, broken: true },
  { what: 'jumps back and forth', scan: { ...scan, leaps: 5, leapSec: 5 * DAY_SEC }, broken: true },
  { what: 'one jump between two frames', scan: { ...scan, packets: 2, leapSec: DAY_SEC }, broken: true },
  { what: 'a stream that begins late', scan: { ...scan, firstSec: DAY_SEC - 1 }, broken: true },
  { what: 'a frame every half minute', scan, broken: false },
  { what: 'an hour without a signal', scan: { ...scan, leapSec: 3600 }, broken: false },
  { what: 'a slide every 15 minutes', scan: { ...scan, leaps: 99, leapSec: DAY_SEC }, broken: false },
])('finds a broken clock in a day with $what: $broken', (day) => {
  const fault = whyClockIsBroken(makeFacts({ durationSec: DAY_SEC }), new Map([[0, day.scan]]));
  expect(fault === null ? null : fault.kind).toBe(day.broken ? 'undecodable' : null);
});
