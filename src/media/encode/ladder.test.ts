import { expect, test } from 'vitest';
import { makeVideoFacts } from '../../../test/support/media/source-facts.ts';
import { listedRung, planLadder, RUNGS, type Rung, rungForSize } from './ladder.ts';

const SCOPE = ['1080:1920x800', '720:1280x534', '480:854x356', '360:640x266', '240:426x178'];

test.each<{ size: [number, number]; allowed: readonly Rung[]; expected: string[] }>([
  { size: [1920, 1080], allowed: [240, 720], expected: ['720:1280x720', '240:426x240'] },
  { size: [1080, 1920], allowed: [720, 240], expected: ['720:720x1280', '240:240x426'] },
  { size: [1920, 804], allowed: [720, 1080], expected: ['1080:1920x804', '720:1280x536'] },
  { size: [1920, 1032], allowed: [720, 1080], expected: ['1080:1920x1032', '720:1280x688'] },
  { size: [854, 356], allowed: [240, 360, 480], expected: ['480:854x356', '360:640x266', '240:426x178'] },
  { size: [356, 854], allowed: [360, 480], expected: ['480:356x854', '360:266x640'] },
  { size: [640, 480], allowed: [360, 480, 720], expected: ['480:640x480', '360:480x360'] },
  { size: [2560, 1080], allowed: [720, 1080], expected: ['1080:2560x1080', '720:1280x540'] },
  { size: [2560, 1080], allowed: [1080, 1440], expected: ['1440:2560x1080', '1080:1920x810'] },
  { size: [1920, 800], allowed: RUNGS, expected: SCOPE },
  { size: [1920, 720], allowed: [720, 1080], expected: ['1080:1920x720', '720:1280x480'] },
  { size: [574, 240], allowed: [240, 360], expected: ['240:574x240'] },
  { size: [240, 574], allowed: [240], expected: ['240:240x574'] },
  { size: [2560, 1440], allowed: [720, 1080], expected: ['1080:1920x1080', '720:1280x720'] },
  { size: [160, 120], allowed: [240, 360], expected: ['240:160x120'] },
  { size: [321, 181], allowed: [360, 240], expected: ['240:322x182'] },
  { size: [1, 1], allowed: [240], expected: ['240:2x2'] },
  { size: [320, 240], allowed: [1080], expected: ['240:320x240'] },
  { size: [240, 320], allowed: [1080, 2160], expected: ['240:240x320'] },
  { size: [640, 360], allowed: [720], expected: ['360:640x360'] },
  { size: [960, 540], allowed: [720, 1080], expected: ['480:960x540'] },
  { size: [1270, 714], allowed: [720], expected: ['720:1270x714'] },
  { size: [720, 720], allowed: [720], expected: ['720:720x720'] },
])('a source of $size with allowed rungs $allowed gets $expected', ({ size, allowed, expected }) => {
  const video = makeVideoFacts({ displayWidthPx: size[0], displayHeightPx: size[1] });
  const ladder = planLadder({ video }, { allowedRungs: allowed });
  expect(ladder.map((rung) => `${rung.rung}:${rung.widthPx}x${rung.heightPx}`)).toEqual(expected);
});

test.each<{ size: [number, number]; rung: Rung | null }>([
  { size: [1920, 800], rung: 1080 },
  { size: [1920, 1032], rung: 1080 },
  { size: [854, 356], rung: 480 },
  { size: [356, 854], rung: 480 },
  { size: [574, 240], rung: 240 },
  { size: [640, 480], rung: 480 },
  { size: [700, 500], rung: 720 },
  { size: [160, 120], rung: 240 },
  { size: [1920, 1080], rung: 1080 },
  { size: [2560, 1080], rung: 1080 },
  { size: [2560, 1440], rung: null },
])('lists an unscaled source of $size as $rung', ({ size, rung }) => {
  const [displayWidthPx, displayHeightPx] = size;
  expect(rungForSize({ displayWidthPx, displayHeightPx }, [240, 360, 480, 720, 1080])).toBe(rung);
});

test.each<{ size: [number, number]; rung: Rung; listed: Rung }>([
  { size: [320, 240], rung: 1080, listed: 240 },
  { size: [960, 540], rung: 720, listed: 480 },
  { size: [700, 500], rung: 720, listed: 480 },
  { size: [1278, 718], rung: 720, listed: 720 },
  { size: [160, 120], rung: 240, listed: 240 },
  { size: [2560, 1080], rung: 1080, listed: 1080 },
  { size: [1180, 664], rung: 1080, listed: 480 },
])('lists an unscaled source of $size stored as $rung as $listed', ({ size, rung, listed }) => {
  const [displayWidthPx, displayHeightPx] = size;
  expect(listedRung({ displayWidthPx, displayHeightPx }, rung)).toBe(listed);
});

test('uses the bitrate caps of the library if they are set', () => {
  const video = makeVideoFacts({ displayWidthPx: 4096, displayHeightPx: 2160 });
  const ladder = planLadder({ video }, { allowedRungs: RUNGS, maxBitratesBps: { 720: 1_000_000 } });
  const caps = Object.fromEntries(ladder.map((rung) => [rung.rung, rung.maxBitrateBps / 1000]));
  expect(caps).toEqual({ 2160: 25000, 1440: 8000, 1080: 5000, 720: 1000, 480: 1400, 360: 800, 240: 600 });
});

test('returns no ladder for audio, and requires at least one allowed rung', () => {
  expect(planLadder({ video: null }, { allowedRungs: [240] })).toEqual([]);
  expect(() => planLadder({ video: null }, { allowedRungs: [] })).toThrow('at least one');
});
