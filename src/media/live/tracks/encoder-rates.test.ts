import { expect, test } from 'vitest';
import { estimateBps, measureFrameRate, readLongestGop } from './encoder-rates.ts';

const shown = (count: number, stepMs: number) => Array.from({ length: count }, (_, index) => index * stepMs);

test.each([
  { name: 'a common rate', times: shown(12, 40), rate: 25 },
  { name: 'NTSC', times: shown(12, 1001 / 30), rate: 30_000 / 1001 },
  { name: 'frames in decode order', times: [0, 120, 40, 80, 240, 160, 200], rate: 25 },
  { name: 'times rounded to ms', times: shown(13, 100 / 3).map(Math.round), rate: 30 },
  { name: 'a lost frame', times: shown(13, 40).filter((ms) => ms !== 160), rate: 25 },
  { name: 'too few frames', times: shown(3, 40), rate: 0 },
])('measures the frame rate from $name', ({ times, rate }) => {
  expect(measureFrameRate(times)).toBeCloseTo(rate, 6);
});

test('counts a keyframe once per GOP', () => {
  const pictures = [{ isKey: true, bytes: 20_000 }, ...shown(11, 1).map(() => ({ isKey: false, bytes: 1_000 }))];
  expect(estimateBps(pictures, { frameRate: 25, longestGopSec: 4 })).toBe(8 * (25_000 + 5_000));
  expect(estimateBps(pictures.slice(0, 3), { frameRate: 25, longestGopSec: 4 })).toBe(0);
});

test('reads the maximum keyframe interval from the x264 settings', () => {
  const settings = 'x264 - core 164 - options: cabac=1 ref=3 keyint=250 keyint_min=25 scenecut=40';
  expect(readLongestGop(Buffer.from(settings))).toBe(250);
  expect(readLongestGop(Buffer.from(settings.replace('250', 'infinite')))).toBe(0);
  expect(readLongestGop(Buffer.alloc(64))).toBe(0);
});
