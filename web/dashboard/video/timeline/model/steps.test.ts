import { expect, test } from 'vitest';
import { frameStart, snapTo, stepFrom, stepRate } from './steps.ts';

const NTSC = 30_000 / 1001;

test.each([25, NTSC, 50, 60])('a thousand steps at %s frames per second are a thousand frames', (rate) => {
  let sec = 0;
  for (let step = 1; step <= 1000; step += 1) {
    sec = stepFrom(sec, 1, rate, 3600);
    // The player reports a position within the frame.
    expect(Math.abs(sec - step / rate)).toBeLessThan(0.001);
    sec += 0.001;
  }
  for (let step = 999; step >= 0; step -= 1) {
    sec = stepFrom(sec, -1, rate, 3600);
    expect(Math.abs(sec - step / rate)).toBeLessThan(0.001);
  }
  expect(stepFrom(0, -1, rate, 3600)).toBe(0);
  expect(stepFrom(3600, 1, rate, 3600)).toBe(3600);
});

test('a position belongs to the frame that is shown there', () => {
  expect(frameStart(1.039, 25)).toBe(1);
  expect(frameStart(1.04, 25)).toBe(1.04);
  expect(frameStart(1.041, 25)).toBe(1.04);
});

test('audio and unusable frame rates have ten steps per second', () => {
  expect([stepRate(0), stepRate(-1), stepRate(90_000), stepRate(NTSC)]).toEqual([10, 10, 10, NTSC]);
});

test('a position snaps to the nearest target within the tolerance', () => {
  expect(snapTo(5.2, [0, 5, 5.3], 0.25)).toBe(5.3);
  expect(snapTo(5.2, [0, 5], 0.1)).toBe(5.2);
  expect(snapTo(5.2, [], 1)).toBe(5.2);
  expect(snapTo(5.2, [Number.NaN, 5.1], 1)).toBe(5.1);
});
