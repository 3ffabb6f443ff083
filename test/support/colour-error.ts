import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import {
  BT709,
  type Coding,
  decodeColour,
  encodeColour,
  fromSamples,
  REFERENCE_WHITE_NIT,
  type Triple,
  toneMap,
  toSamples,
} from './colour-model.ts';

const run = promisify(execFile);

/** Patches from left to right, in BT.709 R'G'B': 75 % colour bars, dark grey, and reference white. */
export const PATCHES: readonly Triple[] = [
  [191, 191, 191],
  [191, 191, 0],
  [0, 191, 191],
  [0, 191, 0],
  [191, 0, 191],
  [191, 0, 0],
  [0, 0, 191],
  [96, 96, 96],
  [255, 255, 255],
];

/** The same patches as shown by an HDR video whose white is reference white, after the BT.2390 curve. */
export const TONE_MAPPED: readonly Triple[] = PATCHES.map((patch) => {
  const nit = (Math.max(...patch) / 255) ** 2.4 * REFERENCE_WHITE_NIT;
  const scale = (toneMap(nit) / nit) ** (1 / 2.4);
  return [patch[0] * scale, patch[1] * scale, patch[2] * scale];
});

/**
 * Returns the patches as a coding represents them: rounded to whole code values, and clipped to the gamut of its
 * primaries.
 */
export function shownPatches(coding: Coding, bits: number): Triple[] {
  return PATCHES.map(([r, g, b]) => {
    const samples = toSamples(clampAll(encodeColour([r / 255, g / 255, b / 255], coding)), coding, bits);
    const [red, green, blue] = decodeColour(fromSamples(samples, coding, bits), coding);
    return [255 * red, 255 * green, 255 * blue];
  });
}

function clampAll([r, g, b]: Triple): Triple {
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return [clamp(r), clamp(g), clamp(b)];
}

/**
 * Measured colours in BT.709 R'G'B', 0 to 255: the maximum error, the brightness of reference white, and each patch.
 */
type ColourError = { largest: number; white: number; patches: Triple[]; coding: Coding };

/** Parameters of bars: their size, and encoder arguments that include `-c:v`. `pixelFormat` is an ffmpeg name. */
export type BarsToMake = {
  coding: Coding;
  pixelFormat: 'yuv420p' | 'yuvj420p' | 'yuv420p10le' | 'gbrp';
  argv: readonly string[];
  widthPx?: number;
  heightPx?: number;
  /** If false, no tags are written, so that readers have to guess. */
  isTagged?: boolean;
  frames?: number;
};

/** Creates a clip of the patches at 25 frames a second in a coding, without any conversion by ffmpeg. */
export async function makeBars(file: string, bars: BarsToMake): Promise<string> {
  const { coding, pixelFormat, argv, widthPx = 576, heightPx = 320, isTagged = true, frames = 50 } = bars;
  const { primaries, transfer, matrix, isFullRange } = coding;
  const range = isFullRange ? 'pc' : 'tv';
  const tags = `range=${range}:color_primaries=${primaries}:color_trc=${transfer}:colorspace=${matrix}`;
  const named = ['-color_primaries', primaries, '-color_trc', transfer, '-colorspace', matrix, '-color_range', range];
  const child = spawn(
    'ffmpeg',
    [
      ...['-v', 'error', '-y', '-f', 'rawvideo', '-pix_fmt', pixelFormat, '-r', '25'],
      ...['-s', `${widthPx}x${heightPx}`, '-i', 'pipe:0'],
      ...['-vf', `loop=${frames - 1}:1${isTagged ? `,setparams=${tags}` : ''}`],
      ...[...(isTagged ? named.map(String) : []), ...argv, file],
    ],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'close');
  child.stdin.end(drawBars(coding, pixelFormat, { widthPx, heightPx }));
  const [code] = await ended;
  if (code !== 0) throw new Error(`Expected ffmpeg to make ${file}, got exit ${code}.`);
  return file;
}

/**
 * Decodes one frame of a file, reads its colours by the file's own tags, and compares the middle of each patch with
 * `reference`. `part` is the fraction of the width and height, from the upper left, that the patches cover.
 */
export async function measureColours(
  file: string,
  reference: readonly Triple[] = PATCHES,
  { frame = 0, part = [1, 1] }: { frame?: number; part?: readonly [number, number] } = {},
): Promise<ColourError> {
  const { coding, bits, widthPx, heightPx, pixelFormat } = await readCoding(file);
  const planar = await decode(file, { pixelFormat, range: coding.isFullRange ? 'full' : 'limited' }, frame);
  const planePx = widthPx * heightPx;
  const at = (plane: number, index: number) =>
    bits === 8 ? planar.readUInt8(plane * planePx + index) : planar.readUInt16LE(2 * (plane * planePx + index));
  const patches = PATCHES.map((_, patch): Triple => {
    const stepPx = (widthPx * part[0]) / PATCHES.length;
    const columns = spread((patch + 0.4) * stepPx, (patch + 0.6) * stepPx);
    const rows = spread(heightPx * part[1] * 0.4, heightPx * part[1] * 0.6);
    const mean = (plane: number) => average(rows.flatMap((y) => columns.map((x) => at(plane, y * widthPx + x))));
    const samples: Triple = [mean(0), mean(1), mean(2)];
    if (coding.matrix === 0) return [samples[2], samples[0], samples[1]];
    const [r, g, b] = decodeColour(fromSamples(samples, coding, bits), coding);
    return [255 * r, 255 * g, 255 * b];
  });
  return { largest: largestDifference(patches, reference), white: average(patches.at(-1) ?? []), patches, coding };
}

/** Returns the maximum difference of any component between two lists of colours. */
export function largestDifference(some: readonly Triple[], others: readonly Triple[]): number {
  return Math.max(
    ...some.flatMap((patch, index) =>
      patch.map((value, part) => Math.abs(value - (others[index]?.[part] ?? Infinity))),
    ),
  );
}

function drawBars(coding: Coding, pixelFormat: string, { widthPx, heightPx }: { widthPx: number; heightPx: number }) {
  const bits = pixelFormat.includes('10') ? 10 : 8;
  const samples = PATCHES.map(([r, g, b]) => {
    return toSamples(clampAll(encodeColour([r / 255, g / 255, b / 255], coding)), coding, bits);
  });
  const bytes = bits === 8 ? 1 : 2;
  const planes = [0, 1, 2].map((plane) => {
    const shift = plane > 0 && pixelFormat !== 'gbrp' ? 1 : 0;
    const row = Buffer.alloc((widthPx >> shift) * bytes);
    for (let x = 0; x < widthPx >> shift; x += 1) {
      const patch = Math.floor(((x << shift) * PATCHES.length) / widthPx);
      row.writeUIntLE(samples[patch]?.[plane] ?? 0, x * bytes, bytes);
    }
    return Buffer.concat(Array.from({ length: heightPx >> shift }, () => row));
  });
  return Buffer.concat(planes);
}

const CODES: Readonly<Record<string, number>> = {
  ...{ gbr: 0, bt709: 1, bt470m: 4, bt470bg: 5, smpte170m: 6, bt2020: 9, bt2020nc: 9, smpte432: 12 },
  ...{ 'iec61966-2-1': 13, 'bt2020-10': 14, smpte2084: 16, 'arib-std-b67': 18 },
};

async function readCoding(file: string) {
  const shown = 'stream=codec_name,width,height,pix_fmt,color_space,color_transfer,color_primaries,color_range';
  const argv = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', shown, '-of', 'json', file];
  const stream = JSON.parse((await run('ffprobe', argv)).stdout).streams[0];
  const isStill = stream.codec_name === 'mjpeg' || stream.codec_name === 'webp';
  const isRgb = /^(gbr|rgb|bgr|argb|pal8)/.test(stream.pix_fmt);
  const guessed = isStill || stream.height < 720 ? 6 : 1;
  const coding: Coding = {
    primaries: CODES[stream.color_primaries] ?? 1,
    transfer: CODES[stream.color_transfer] ?? 1,
    matrix: isRgb ? 0 : (CODES[stream.color_space] ?? guessed),
    isFullRange: stream.color_range === 'pc' || stream.pix_fmt.startsWith('yuvj'),
  };
  const bits = /p10/.test(stream.pix_fmt) ? 10 : 8;
  const pixelFormat = isRgb ? 'gbrp' : stream.pix_fmt.replace(/4(20|22|44|11|10)p/, '444p');
  return { coding: isStill ? { ...coding, primaries: 1, transfer: 1 } : coding, bits, pixelFormat, ...sizeOf(stream) };
}

function sizeOf({ width, height }: { width: number; height: number }): { widthPx: number; heightPx: number } {
  return { widthPx: width, heightPx: height };
}

type Samples = { pixelFormat: string; range: 'full' | 'limited' };

async function decode(file: string, { pixelFormat, range }: Samples, frame: number): Promise<Buffer> {
  const argv = ['-nostdin', '-v', 'error', '-noautorotate', '-i', file, '-map', '0:v:0'];
  // Selects the patches without the scale filter, which would convert full range to limited range.
  const select = [
    '-vf',
    `select=eq(n\\,${frame}),scale=in_range=${range}:out_range=${range},format=${pixelFormat}`,
    '-frames:v',
    '1',
    '-f',
    'rawvideo',
    '-pix_fmt',
    pixelFormat,
    '-',
  ];
  const { stdout } = await run('ffmpeg', [...argv, ...select], { encoding: 'buffer', maxBuffer: 2 ** 27 });
  return stdout;
}

function spread(from: number, to: number): number[] {
  return Array.from({ length: 8 }, (_, index) => Math.floor(from + ((to - from) * index) / 8));
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns a BT.709 coding with a test's changes. */
export function makeCoding(change: Partial<Coding> = {}): Coding {
  return { ...BT709, ...change };
}
