import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createImageMaker } from './run-image-maker.ts';

const run = promisify(execFile);
const { signal } = new AbortController();
const maker = createImageMaker();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mr-colours-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Rgb = readonly [number, number, number];
/** Test colours: colours within sRGB, and a grey. */
const COLOURS: readonly Rgb[] = [
  [200, 100, 60],
  [60, 170, 90],
  [128, 128, 128],
];

const linear = (x: number) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
const coded = (y: number) => (y <= 0.0031308 ? 12.92 * y : 1.055 * y ** (1 / 2.4) - 0.055);

/**
 * Matrices from linear Display P3 and Adobe RGB to linear sRGB, for primaries with white point D65 (SMPTE EG 432-1;
 * Adobe RGB (1998), 4.3.1).
 */
const P3: readonly Rgb[] = [
  [1.2249401, -0.2249404, 0],
  [-0.0420569, 1.0420571, 0],
  [-0.0196376, -0.0786361, 1.0982735],
];
const ADOBE: readonly Rgb[] = [
  [1.3983557, -0.3983557, 0],
  [0, 1, 0],
  [0, -0.0429282, 1.0429282],
];
const BT2020: readonly Rgb[] = [
  [1.660491, -0.5876411, -0.0728499],
  [-0.1245505, 1.1328999, -0.0083494],
  [-0.0181508, -0.1005789, 1.1187297],
];

/** Returns the expected sRGB colour, computed in floating point. */
function expected(colour: Rgb, matrix: readonly Rgb[], toLinear: (x: number) => number): number[] {
  const light = colour.map((value) => toLinear(value / 255));
  return matrix.map((row) => {
    const y = row.reduce((sum, part, index) => sum + part * (light[index] ?? 0), 0);
    return 255 * coded(Math.min(1, Math.max(0, y)));
  });
}

/** XYZ values of the primaries as stored in profiles: adapted to D50 by the Bradford method. */
const P3_XYZ = [0.51512, 0.2412, -0.00105, 0.29198, 0.69225, 0.04189, 0.1571, 0.06657, 0.78407];
const ADOBE_XYZ = [0.60974, 0.31111, 0.01947, 0.20528, 0.62567, 0.06087, 0.14919, 0.06322, 0.74457];
const SRGB_XYZ = [0.43607, 0.22249, 0.01392, 0.38515, 0.71687, 0.09708, 0.14307, 0.06061, 0.7141];
const SRGB_CURVE = [3, 2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];

const fixed = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeInt32BE(Math.round(value * 65_536), 4 * index);
  return bytes;
};

/**
 * Creates an RGB profile with a matrix and one curve for all channels. The curve is a list of parameters after the
 * function type, or a power.
 */
function makeProfile(xyz: readonly number[], curve: readonly number[] | { power: number }): Buffer {
  const sized = (text: string) => Buffer.from(`${text}\0\0\0\0`, 'latin1');
  let trc: Buffer;
  if ('power' in curve) {
    trc = Buffer.concat([sized('curv'), Buffer.of(0, 0, 0, 1, Math.floor(curve.power), (curve.power % 1) * 256)]);
  } else {
    trc = Buffer.concat([sized('para'), Buffer.of(0, curve[0] ?? 0, 0, 0), fixed(...curve.slice(1))]);
  }
  const tags: [string, Buffer][] = [
    ...['rXYZ', 'gXYZ', 'bXYZ'].map((name, index): [string, Buffer] => [
      name,
      Buffer.concat([sized('XYZ '), fixed(...xyz.slice(3 * index, 3 * index + 3))]),
    ]),
    ...['rTRC', 'gTRC', 'bTRC'].map((name): [string, Buffer] => [name, trc]),
  ];
  const header = Buffer.alloc(132);
  header.write('RGB XYZ ', 16, 'latin1');
  header.writeUInt32BE(tags.length, 128);
  let offset = 132 + 12 * tags.length;
  const table = tags.map(([name, data]) => {
    const entry = Buffer.alloc(12);
    entry.write(name, 'latin1');
    entry.writeUInt32BE(offset, 4);
    entry.writeUInt32BE(data.length, 8);
    offset += data.length;
    return entry;
  });
  return Buffer.concat([header, ...table, ...tags.map(([, data]) => data)]);
}

/** Creates an image of one colour with ffmpeg. The image does not declare its colours. */
async function makePicture(name: string, colour: Rgb, ...codec: string[]): Promise<Buffer> {
  const file = join(folder, name);
  const raw = Buffer.alloc(3 * 64 * 64, Buffer.from(colour));
  await writeFile(`${file}.raw`, raw);
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', '64x64', '-i', `${file}.raw`];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...input, '-frames:v', '1', ...codec, file]);
  return readFile(file);
}

const insert = (bytes: Buffer, at: number, part: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [size, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, crc]);
}

const AFTER_IHDR = 33;
const inPng = async (colour: Rgb, profile: Buffer) => {
  const data = Buffer.concat([Buffer.from('P\0\0', 'latin1'), deflateSync(profile)]);
  return insert(await makePicture('p.png', colour), AFTER_IHDR, pngChunk('iCCP', data));
};
const inJpeg = async (colour: Rgb, profile: Buffer) => {
  const head = Buffer.from([0xff, 0xe2, 0, 16 + profile.length]);
  head.writeUInt16BE(16 + profile.length, 2);
  const part = Buffer.concat([head, Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), profile]);
  return insert(await makePicture('p.jpg', colour, '-q:v', '1', '-pix_fmt', 'yuvj444p'), 2, part);
};
const inWebp = async (colour: Rgb, profile: Buffer) => {
  const plain = await makePicture('p.webp', colour, '-c:v', 'libwebp', '-lossless', '1');
  const size = Buffer.alloc(4);
  size.writeUInt32LE(profile.length);
  const padded = profile.length % 2 === 0 ? profile : Buffer.concat([profile, Buffer.alloc(1)]);
  const whole = insert(plain, 12, Buffer.concat([Buffer.from('ICCP'), size, padded]));
  whole.writeUInt32LE(whole.length - 8, 4);
  return whole;
};

/** Converts an image to a JPEG. Returns the colour at the centre of the JPEG. */
async function madeColour(image: Buffer): Promise<number[]> {
  const { jpeg } = await maker.make(image, signal);
  const file = join(folder, 'made.jpg');
  await writeFile(file, jpeg);
  const argv = ['-v', 'error', '-i', file, '-vf', 'crop=8:8,scale=1:1,format=rgb24', '-f', 'rawvideo', '-'];
  return [...(await run('ffmpeg', argv, { encoding: 'buffer' })).stdout];
}

function farthest(found: readonly number[], wanted: readonly number[]): number {
  return Math.max(...wanted.map((value, index) => Math.abs(value - (found[index] ?? -99))));
}

test.each([
  { name: 'Display P3', xyz: P3_XYZ, curve: SRGB_CURVE, matrix: P3, toLinear: linear },
  { name: 'Adobe RGB', xyz: ADOBE_XYZ, curve: { power: 2.19921875 }, matrix: ADOBE, toLinear: (x: number) => x ** 2.2 },
])('converts images with a $name profile to sRGB', async ({ xyz, curve, matrix, toLinear }) => {
  const profile = makeProfile(xyz, curve);
  for (const colour of COLOURS) {
    const wanted = expected(colour, matrix, toLinear);
    for (const make of [inPng, inJpeg, inWebp]) {
      expect(farthest(await madeColour(await make(colour, profile)), wanted), make.name).toBeLessThan(5);
    }
  }
});

test('does not change the colours of an image with an sRGB profile, a broken profile or no profile', async () => {
  const [colour] = COLOURS;
  if (colour === undefined) throw new Error('Expected a colour.');
  const images = [
    await inPng(colour, makeProfile(SRGB_XYZ, SRGB_CURVE)),
    await inPng(colour, makeProfile(P3_XYZ, SRGB_CURVE).subarray(0, 180)),
    await makePicture('plain.png', colour),
  ];
  for (const image of images) expect(farthest(await madeColour(image), colour)).toBeLessThan(4);
});

test('converts AVIF from Display P3 to sRGB according to its code points', async () => {
  const tags = ['-color_primaries', 'smpte432', '-color_trc', 'iec61966-2-1', '-colorspace', 'bt709'];
  const matrix = 'scale=out_color_matrix=bt709:out_range=pc,format=yuv444p';
  const av1 = ['-vf', matrix, '-color_range', 'pc', '-c:v', 'libaom-av1', '-crf', '5', '-still-picture', '1'];
  for (const colour of COLOURS) {
    const image = await makePicture('p.avif', colour, ...av1, '-cpu-used', '8', ...tags);
    expect(farthest(await madeColour(image), expected(colour, P3, linear))).toBeLessThan(6);
  }
});

test('converts PNG from PQ and BT.2020 to sRGB, with reference white as SDR white', async () => {
  const pq = (nit: number) => {
    const y = (nit / 10_000) ** (2610 / 16_384);
    return ((3424 / 4096 + (2413 / 128) * y) / (1 + (2392 / 128) * y)) ** (2523 / 32);
  };
  const code = (nit: number) => Math.round(255 * pq(nit));
  const inPq = async (nits: Rgb) => {
    const png = await makePicture('pq.png', [code(nits[0]), code(nits[1]), code(nits[2])]);
    return madeColour(insert(png, AFTER_IHDR, pngChunk('cICP', Buffer.of(9, 16, 0, 1))));
  };
  const [white = 0] = await inPq([203, 203, 203]);
  expect(white).toBeGreaterThan(215);
  expect(white).toBeLessThan(236);
  const dim: Rgb = [60, 30, 20];
  const light = BT2020.map((row) => row.reduce((sum, part, index) => sum + (part * (dim[index] ?? 0)) / 203, 0));
  const wanted = light.map((y) => 255 * Math.max(0, y) ** (1 / 2.4));
  expect(farthest(await inPq(dim), wanted)).toBeLessThan(8);
});
