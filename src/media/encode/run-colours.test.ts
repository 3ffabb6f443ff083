import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type BarsToMake,
  makeBars,
  makeCoding,
  measureColours,
  PATCHES,
  shownPatches,
  TONE_MAPPED,
} from '../../../test/support/colour-error.ts';
import type { Coding } from '../../../test/support/colour-model.ts';
import { collect, factsOf, makeFolder } from '../../../test/support/media/run-clip.ts';
import { planThumbnails } from '../images/thumbnail.ts';
import { planFrameGrid } from '../timeline/cut-list.ts';
import { findCodec } from './codecs/all.ts';
import { planEncode } from './encode.ts';
import { planLadder } from './ladder.ts';

let dir: string;
let remove: () => Promise<void>;
beforeAll(async () => ({ dir, remove } = await makeFolder()));
afterAll(() => remove());

const x265 = (params = '') => [
  ...['-c:v', 'libx265', '-preset', 'ultrafast'],
  ...['-x265-params', `lossless=1:log-level=none${params}`],
];
const X264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '0'];
const FFV1 = ['-c:v', 'ffv1'];
const PQ = makeCoding({ primaries: 9, transfer: 16, matrix: 9 });
const HLG = makeCoding({ primaries: 9, transfer: 18, matrix: 9 });
const mastered = (nit: number) =>
  `:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(${nit * 10_000},1)`;

async function encode(file: string, codecName: string): Promise<string> {
  const facts = await factsOf(file);
  const cutList = planFrameGrid(facts);
  const plan = planEncode({
    ...{ facts, cutList, range: { fromSegment: 0, toSegment: cutList.startTicks.length }, watermark: null },
    ...{ rungs: planLadder(facts, { allowedRungs: [240] }), codec: findCodec(codecName) },
    ...{ decoderThreads: 1, encoderThreads: 1 },
  });
  const { outputs } = await collect(plan, file);
  const made = `${file}.${codecName}.mp4`;
  await writeFile(made, outputs[0] ?? Buffer.alloc(0));
  return made;
}

async function takeThumbnail(file: string): Promise<string> {
  const { outputs } = await collect(planThumbnails(await factsOf(file), 0), file);
  const made = `${file}.jpg`;
  await writeFile(made, outputs[0] ?? Buffer.alloc(0));
  return made;
}

const bars = (coding: Coding, pixelFormat: BarsToMake['pixelFormat'], argv: readonly string[]): BarsToMake => {
  return { coding, pixelFormat, argv, frames: 10 };
};

test.each<[string, BarsToMake]>([
  ['HDR10 without metadata', bars(PQ, 'yuv420p10le', x265())],
  ['HDR10 with 1,000 nit', bars(PQ, 'yuv420p10le', x265(`${mastered(1000)}:max-cll=1000,400`))],
  ['HDR10 mastered at 4,000 nit', bars(PQ, 'yuv420p10le', x265(mastered(4000)))],
  ['HDR10 with 300 nit', bars(PQ, 'yuv420p10le', x265(`${mastered(1000)}:max-cll=300,100`))],
  ['HDR10 mastered at 0.005 nit', bars(PQ, 'yuv420p10le', x265(mastered(0.005)))],
  ['HDR10 with 65,535 nit', bars(PQ, 'yuv420p10le', x265(`${mastered(400_000)}:max-cll=65535,65535`))],
  ['full-range PQ', bars({ ...PQ, isFullRange: true }, 'yuv420p10le', x265(':range=full'))],
  ['HLG', bars(HLG, 'yuv420p10le', x265())],
])('%s has reference white at 220 to 232 and bars as in BT.2390', async (name, made) => {
  const file = await makeBars(join(dir, `${name.replaceAll(/\W/g, '')}.mp4`), made);
  const reference = shownPatches(made.coding, 10);
  for (const shown of [await encode(file, 'h264'), await takeThumbnail(file)]) {
    const { largest, white, coding } = await measureColours(shown, reference);
    expect(coding.transfer).toBe(1);
    expect(white).toBeGreaterThan(220);
    expect(white).toBeLessThan(232);
    expect(largest).toBeLessThan(8);
  }
});

test.each<[string, string, BarsToMake]>([
  ['BT.2020', 'mp4', bars(makeCoding({ primaries: 9, transfer: 14, matrix: 9 }), 'yuv420p10le', x265())],
  ['Display P3', 'mov', bars(makeCoding({ primaries: 12 }), 'yuv420p10le', [...x265(), '-tag:v', 'hvc1'])],
  ['SMPTE-C', 'mp4', bars(makeCoding({ primaries: 6, transfer: 6, matrix: 6 }), 'yuv420p', X264)],
  ['PAL', 'mp4', bars(makeCoding({ primaries: 5, transfer: 6, matrix: 5 }), 'yuv420p', X264)],
  ['full range', 'mp4', bars(makeCoding({ isFullRange: true }), 'yuvj420p', X264)],
  ['full range, 10 bits', 'mp4', bars(makeCoding({ isFullRange: true }), 'yuv420p10le', x265(':range=full'))],
  ['untagged', 'mkv', { ...bars(makeCoding({ matrix: 6 }), 'yuv420p', FFV1), isTagged: false }],
  ['untagged HD', 'mkv', { ...bars(makeCoding(), 'yuv420p', FFV1), isTagged: false, widthPx: 1280, heightPx: 720 }],
  ['RGB', 'mkv', bars(makeCoding({ matrix: 0, isFullRange: true }), 'gbrp', FFV1)],
  ['sRGB', 'mp4', bars(makeCoding({ transfer: 13 }), 'yuv420p', X264)],
  ['gamma 2.2', 'mp4', bars(makeCoding({ transfer: 4 }), 'yuv420p', X264)],
])('%s is converted to BT.709 within 8 of 255', async (name, extension, made) => {
  const file = await makeBars(join(dir, `${name.replaceAll(/\W/g, '')}.${extension}`), made);
  const bits = made.pixelFormat === 'yuv420p10le' ? 10 : 8;
  const reference = made.coding.matrix === 0 ? PATCHES : shownPatches(made.coding, bits);
  for (const shown of [await encode(file, 'h264'), await takeThumbnail(file)]) {
    const { largest, coding } = await measureColours(shown, reference);
    expect(largest).toBeLessThan(8);
    expect(coding).toMatchObject({ primaries: 1, transfer: 1 });
  }
});

test.each(['hevc', 'vp9', 'av1'])('full-range HDR stays HDR in %s', async (codecName) => {
  const coding = { ...PQ, isFullRange: true };
  const made = bars(coding, 'yuv420p10le', x265(':range=full'));
  const file = await makeBars(join(dir, `${codecName}.mp4`), made);
  const { largest, coding: kept } = await measureColours(await encode(file, codecName), TONE_MAPPED);
  expect(kept).toEqual(PQ);
  expect(largest).toBeLessThan(30);
});
