import { expect } from 'vitest';

/** ffmpeg 5.1 writes animated WebP but cannot read it (RFC 9649 section 2.7). */
export function readAnimatedWebp(bytes: Buffer) {
  expect([bytes.toString('latin1', 0, 4), bytes.toString('latin1', 8, 16)]).toEqual(['RIFF', 'WEBPVP8X']);
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
  let [frames, durationMs, loops] = [0, 0, -1];
  for (let at = 12; at < bytes.length; at += 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2)) {
    const name = bytes.toString('latin1', at, at + 4);
    if (name === 'ANIM') loops = bytes.readUInt16LE(at + 12);
    if (name !== 'ANMF') continue;
    frames += 1;
    durationMs += bytes.readUIntLE(at + 8 + 12, 3);
  }
  expect(loops).toBe(0);
  const sides = [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  return { frames, durationSec: durationMs / 1000, longSidePx: Math.max(...sides) };
}
