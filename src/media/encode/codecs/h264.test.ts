import { expect, test } from 'vitest';
import type { RungPlan } from '../ladder.ts';
import { findCodec } from './all.ts';

test.each([
  { widthPx: 426, heightPx: 240, fps: 30, cap: 600_000, level: '2.1' },
  { widthPx: 1280, heightPx: 720, fps: 30, cap: 2_800_000, level: '3.1' },
  { widthPx: 1280, heightPx: 720, fps: 60, cap: 2_800_000, level: '3.2' },
  { widthPx: 1920, heightPx: 1080, fps: 30, cap: 5_000_000, level: '4.0' },
  { widthPx: 1920, heightPx: 1080, fps: 60, cap: 5_000_000, level: '4.2' },
  { widthPx: 3840, heightPx: 2160, fps: 60, cap: 25_000_000, level: '5.2' },
  { widthPx: 2160, heightPx: 8192, fps: 120, cap: 25_000_000, level: '6.1' },
])('$widthPx x $heightPx at $fps frames per second needs level $level', ({ widthPx, heightPx, fps, cap, level }) => {
  const rung: RungPlan = { rung: 240, widthPx, heightPx, maxBitrateBps: cap };
  const argv = findCodec('h264').encoderArgv({
    rung,
    rate: { num: fps, den: 1 },
    gopFrames: 2 * fps,
    threads: 1,
    hdr: null,
  });
  expect(argv[argv.indexOf('-level:v') + 1]).toBe(level);
  expect(argv[argv.indexOf('-bufsize') + 1]).toBe(String(2 * cap));
});

test('throws for an unknown codec', () => {
  expect(() => findCodec('theora')).toThrow('theora');
});
