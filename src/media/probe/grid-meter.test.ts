import { expect, test } from 'vitest';
import { toNumber } from './frame-rate.ts';
import { createGridMeter } from './grid-meter.ts';

const count = (frames: number) => Array.from({ length: frames }, (_, n) => n);
/** Repeatable noise from -1 to 1. */
const noise = (n: number) => Math.sin(n * n * 12.9898);

test.each([
  { name: 'runs of 20 frames at 30 fps', times: count(180).map((n) => Math.floor(n / 20) + (n % 20) / 30), rate: 30 },
  { name: 'one frame a second', times: count(60), rate: 1 },
  {
    name: 'a still screen that moves at 60 fps for half a second',
    times: [...count(10).map((n) => n / 2), ...count(30).map((n) => 5 + n / 60), ...count(10).map((n) => 6 + n)],
    rate: 60,
  },
  {
    name: 'a phone at 29.92 fps, rounded to a tick of 90 kHz',
    times: count(900).map((n) => Math.round(((n + 0.05 * noise(n)) / 29.92) * 90_000) / 90_000),
    rate: 30,
  },
  {
    name: '23.976 fps, rounded to milliseconds',
    times: count(500).map((n) => Math.round((n * 1001) / 24) / 1000),
    rate: 24,
  },
  { name: '30 fps with jitter of 9 ms', times: count(300).map((n) => n / 30 + 0.009 * noise(n)), rate: 30 },
  { name: 'bursts of 144 fps', times: count(300).map((n) => Math.floor(n / 50) + (n % 50) / 144), rate: Infinity },
])('$name fit on a grid of $rate', ({ times, rate }) => {
  const meter = createGridMeter();
  // Every third frame is moved before the two frames that precede it, like a reordered frame.
  const decoded = times.map((sec, index) => ({ sec, at: index % 3 === 2 ? index - 2.5 : index }));
  for (const { sec } of decoded.toSorted((a, b) => a.at - b.at)) meter.add(sec);
  const [slowest] = meter.fitting() ?? [];
  const found = slowest === undefined ? Infinity : toNumber(slowest.rate);
  if (rate === Infinity) expect(found).toBe(rate);
  else expect(Math.abs(found / rate - 1)).toBeLessThan(0.02);
});

test('includes the first and last frames of a stream, and finds no grid without times', () => {
  const meter = createGridMeter();
  expect(createGridMeter().fitting()).toBeNull();
  for (const sec of [0, 1 / 50, 2 / 50]) meter.add(sec);
  expect(meter.fitting()?.map(({ rate }) => toNumber(rate))[0]).toBeGreaterThan(30);
});
