import { expect, test } from 'vitest';
import { makeVideoFacts } from '../../../test/support/media/source-facts.ts';
import { planLadder, RUNGS, type Rung } from './ladder.ts';

test.each<{ size: [number, number]; allowed: readonly Rung[]; expected: string[] }>([
  { size: [1920, 1080], allowed: [240, 720], expected: ['720:1280x720', '240:426x240'] },
  { size: [1080, 1920], allowed: [720, 240], expected: ['720:720x1280', '240:240x426'] },
  { size: [1920, 804], allowed: [720, 1080], expected: ['1080:1920x804', '720:1280x536'] },
  { size: [1920, 1032], allowed: [720, 1080], expected: ['1080:1920x1032', '720:1280x688'] },
  { size: [854, 356], allowed: [240, 360, 480], expected: ['480:854x356', '360:640x266', '240:426x178'] },
  { size: [356, 854], allowed: [360, 480], expected: ['480:356x854', '360:266x640'] },
  { size: [640, 480], allowed: [360, 480, 720], expected: ['480:640x480', '360:480x360'] },
  { size: [2560, 1080], allowed: [720, 1080], expected: ['1080:1920x810', '720:1280x540'] },
  { size: [160, 120], allowed: [240, 360], expected: ['240:160x120'] },
  { size: [321, 181], allowed: [360, 240], expected: ['240:322x182'] },
  { size: [1, 1], allowed: [240], expected: ['240:2x2'] },
  { size: [720, 720], allowed: [720], expected: ['720:720x720'] },
])('a source of $size with $allowed allowed -> $expected', ({ size, allowed, expected }) => {
  const video = makeVideoFacts({ displayWidthPx: size[0], displayHeightPx: size[1] });
  const ladder = planLadder({ video }, { allowedRungs: allowed });
  expect(ladder.map((rung) => `${rung.rung}:${rung.widthPx}x${rung.heightPx}`)).toEqual(expected);
});

test('caps are the library’s own where it has them', () => {
  const video = makeVideoFacts({ displayWidthPx: 4096, displayHeightPx: 2160 });
  const ladder = planLadder({ video }, { allowedRungs: RUNGS, maxBitratesBps: { 720: 1_000_000 } });
  const caps = Object.fromEntries(ladder.map((rung) => [rung.rung, rung.maxBitrateBps / 1000]));
  expect(caps).toEqual({ 2160: 25000, 1440: 8000, 1080: 5000, 720: 1000, 480: 1400, 360: 800, 240: 600 });
});

test('sound alone has no ladder, and a library must allow a rung', () => {
  expect(planLadder({ video: null }, { allowedRungs: [240] })).toEqual([]);
  expect(() => planLadder({ video: null }, { allowedRungs: [] })).toThrow('at least one');
});
