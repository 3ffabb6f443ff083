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
