import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BarsToMake, makeBars, makeCoding, measureColours, shownPatches, TONE_MAPPED } from './colour-error.ts';
import { decodeColour, toneMap, toSamples } from './colour-model.ts';
import { makeClip, makeFolder } from './media/run-clip.ts';

let dir: string;
let remove: () => Promise<void>;
beforeAll(async () => ({ dir, remove } = await makeFolder()));
afterAll(() => remove());

const FFV1 = ['-c:v', 'ffv1'];
const X265 = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'lossless=1:log-level=none'];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0'];

test('reproduces the samples and transfer curves printed in the standards', () => {
  // Green in 8 bits, from ITU-R BT.709 and BT.601. In BT.2408, reference white is 58 % of PQ and 75 % of HLG.
  expect(toSamples([0, 1, 0], makeCoding(), 8)).toEqual([173, 42, 26]);
  expect(toSamples([0, 1, 0], makeCoding({ matrix: 6 }), 8)).toEqual([145, 54, 34]);
  const pq = makeCoding({ primaries: 9, transfer: 16, matrix: 9 });
  const hlg = makeCoding({ primaries: 9, transfer: 18, matrix: 9 });
  for (const [coding, white] of [
    [pq, 0.58],
    [hlg, 0.75],
  ] as const) {
    for (const part of decodeColour([white, white, white], coding))
      expect(Math.abs(255 * part - 230)).toBeLessThan(1.5);
  }
  expect(toneMap(50)).toBe(50);
  expect(Math.abs(toneMap(1000) - 203)).toBeLessThan(0.1);
});

test.each<[string, string, BarsToMake]>([
  ['BT.709', 'a.mkv', { coding: makeCoding(), pixelFormat: 'yuv420p', argv: FFV1 }],
  [
    'BT.601 of full range',
    'b.mp4',
    { coding: makeCoding({ matrix: 6, isFullRange: true }), pixelFormat: 'yuvj420p', argv: X264 },
  ],
  ['RGB', 'c.mkv', { coding: makeCoding({ matrix: 0, isFullRange: true }), pixelFormat: 'gbrp', argv: FFV1 }],
  ['SMPTE-C', 'd.mp4', { coding: makeCoding({ primaries: 6, matrix: 6 }), pixelFormat: 'yuv420p10le', argv: X265 }],
  ['Display P3', 'e.mp4', { coding: makeCoding({ primaries: 12 }), pixelFormat: 'yuv420p10le', argv: X265 }],
  ['sRGB', 'f.mp4', { coding: makeCoding({ transfer: 13 }), pixelFormat: 'yuv420p10le', argv: X265 }],
  [
    'PQ',
    'g.mp4',
    { coding: makeCoding({ primaries: 9, transfer: 16, matrix: 9 }), pixelFormat: 'yuv420p10le', argv: X265 },
  ],
  [
    'HLG',
    'h.mp4',
    { coding: makeCoding({ primaries: 9, transfer: 18, matrix: 9 }), pixelFormat: 'yuv420p10le', argv: X265 },
  ],
])('measures %s colour bars as the nominal patch colours', async (_, name, bars) => {
  const file = await makeBars(join(dir, name), { ...bars, frames: 2 });
  const { transfer } = bars.coding;
  const isHdr = transfer === 16 || transfer === 18;
  const { largest, white, coding } = await measureColours(file, isHdr ? TONE_MAPPED : undefined);
  expect(coding).toEqual(bars.coding);
  // Dark colours have few code values, and SMPTE-C does not cover all of BT.709.
  if (bars.coding.primaries !== 6) expect(largest).toBeLessThan(bars.pixelFormat === 'yuv420p10le' ? 17 : 4);
  if (bars.coding.matrix !== 0) {
    const exact = shownPatches(bars.coding, bars.pixelFormat === 'yuv420p10le' ? 10 : 8);
    expect((await measureColours(file, exact)).largest).toBeLessThan(0.01);
  }
  expect(Math.abs(white - (isHdr ? 230 : 255))).toBeLessThan(1.5);
});

test('reports a large error for a file with wrong tags', async () => {
  const coding = makeCoding({ primaries: 9, matrix: 9 });
  const wide = await makeBars(join(dir, 'wide.mp4'), { coding, pixelFormat: 'yuv420p10le', argv: X265, frames: 2 });
  expect((await measureColours(wide)).largest).toBeLessThan(12);
  const tags = ['-vf', 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709', '-colorspace', 'bt709'];
  const argv = ['-i', wide, ...tags, '-color_primaries', 'bt709', '-color_trc', 'bt709', ...X265];
  expect((await measureColours(await makeClip(dir, 'relabelled.mp4', argv))).largest).toBeGreaterThan(60);
});
