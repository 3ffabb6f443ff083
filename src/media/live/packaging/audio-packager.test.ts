import { expect, test } from 'vitest';
import { aacConfig } from '../tracks/aac-config.ts';
import { AudioPackager } from './audio-packager.ts';

/** AudioSpecificConfig of HE-AAC with implicit signalling: AAC-LC at 24 kHz, stereo. */
const HE_AAC = Buffer.from([0x13, 0x10]);
const FRAME_MS = 1_024 / 24;

test.each([-9, -15, -30, 0, 12])('the first frames of HE-AAC keep their time if one begins at %s ms', (firstMs) => {
  const packager = new AudioPackager(aacConfig(HE_AAC), 0);
  packager.cutAt(0);
  for (let index = 0; index < 20; index += 1) {
    const ptsMs = firstMs + index * FRAME_MS;
    packager.push({ kind: 'audio', dtsMs: ptsMs, ptsMs, isKey: true, bytes: Buffer.from([index]) }, ptsMs);
  }
  const lastEndMs = firstMs + 20 * FRAME_MS;
  expect(Math.abs(packager.endMs - lastEndMs)).toBeLessThan(10);
});

/** Half a frame, which is the maximum error of rounding to whole frames, and the excess before a correction. */
const MAX_ERROR_MS = FRAME_MS / 2 + 2.5;
/** Number of frames until the mean follows a small gap. */
const SETTLED_FRAMES = 40;

/** Pushes frames at the given times, and returns the error of each kept frame in ms. */
function errorsOf(timesMs: readonly number[]): number[] {
  const packager = new AudioPackager(aacConfig(HE_AAC), 0);
  packager.cutAt(0);
  return timesMs.flatMap((ptsMs) => {
    const before = packager.endMs;
    packager.push({ kind: 'audio', dtsMs: ptsMs, ptsMs, isKey: true, bytes: Buffer.from([1]) }, ptsMs);
    return packager.endMs === before ? [] : [packager.endMs - FRAME_MS - ptsMs];
  });
}

test.each(Array.from({ length: 40 }, (_, index) => index * 5))(
  'HE-AAC is at most 24 ms off from 2 s after a gap of %s ms',
  (gapMs) => {
    const errors = errorsOf(Array.from({ length: 150 }, (_, index) => index * FRAME_MS + (index < 50 ? 0 : gapMs)));
    for (const error of errors.slice(50 + SETTLED_FRAMES)) expect(Math.abs(error)).toBeLessThan(MAX_ERROR_MS);
  },
);

test.each([0.9995, 1.0005])('HE-AAC is at most 24 ms off if its clock has %s times the speed', (speed) => {
  const errors = errorsOf(Array.from({ length: 6_000 }, (_, index) => index * FRAME_MS * speed));
  for (const error of errors) expect(Math.abs(error)).toBeLessThan(MAX_ERROR_MS);
});
