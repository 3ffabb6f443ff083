// The colour mathematics of ITU-R BT.709, BT.2020, BT.2100, BT.2390 and ITU-T H.273, written without ffmpeg. It creates
// test images and judges them, so it must not share a fault with the filters under test.

/** Three components: R, G, B or Y, Cb, Cr. */
export type Triple = readonly [number, number, number];

/** How samples encode colours: code points of ITU-T H.273, and the range of the samples. */
export type Coding = { primaries: number; transfer: number; matrix: number; isFullRange: boolean };

export const BT709: Coding = { primaries: 1, transfer: 1, matrix: 1, isFullRange: false };

/** Luminance of reference white (ITU-R BT.2408), in cd/m2. */
export const REFERENCE_WHITE_NIT = 203;

/** Luminance of the display assumed for HLG, and for PQ video without metadata, in cd/m2. */
const USUAL_PEAK_NIT = 1000;

/** Chromaticities of red, green, blue and white (ITU-T H.273 table 2). */
const CHROMATICITIES: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  1: [
    [0.64, 0.33],
    [0.3, 0.6],
    [0.15, 0.06],
    [0.3127, 0.329],
  ],
  5: [
    [0.64, 0.33],
    [0.29, 0.6],
    [0.15, 0.06],
    [0.3127, 0.329],
  ],
  6: [
    [0.63, 0.34],
    [0.31, 0.595],
    [0.155, 0.07],
    [0.3127, 0.329],
  ],
  9: [
    [0.708, 0.292],
    [0.17, 0.797],
    [0.131, 0.046],
    [0.3127, 0.329],
  ],
  12: [
    [0.68, 0.32],
    [0.265, 0.69],
    [0.15, 0.06],
    [0.3127, 0.329],
  ],
};

/** Kr and Kb (ITU-T H.273 table 4). */
const WEIGHTS: Readonly<Record<number, readonly [number, number]>> = {
  1: [0.2126, 0.0722],
  5: [0.299, 0.114],
  6: [0.299, 0.114],
  9: [0.2627, 0.0593],
};

/**
 * Encodes an SDR colour (BT.709 R'G'B' of 0 to 1 on a BT.1886 display whose white is reference white) in another
 * coding. Returns R'G'B' of 0 to 1.
 */
export function encodeColour(colour: Triple, { primaries, transfer }: Coding): Triple {
  const light = multiply(
    fromPrimaries(1, primaries),
    map(colour, (value) => value ** 2.4),
  );
  const nits = map(light, (value) => Math.max(0, value) * REFERENCE_WHITE_NIT);
  switch (transfer) {
    case 16:
      return map(nits, toPq);
    case 18:
      return toHlg(nits);
    case 4:
      return map(light, (value) => Math.max(0, value) ** (1 / 2.2));
    case 13:
      return map(light, toSrgb);
    default:
      return map(light, (value) => Math.max(0, value) ** (1 / 2.4));
  }
}

/** The inverse of `encodeColour`. Maps colours brighter than reference white by the BT.2390 curve from 1,000 cd/m2. */
export function decodeColour(coded: Triple, { primaries, transfer }: Coding): Triple {
  const light = toLight(coded, transfer);
  const brightest = Math.max(...light, 1e-9);
  const isHdr = transfer === 16 || transfer === 18;
  // The maxRGB form of BT.2390 scales all components alike.
  const scale = isHdr ? toneMap(brightest * REFERENCE_WHITE_NIT) / (brightest * REFERENCE_WHITE_NIT) : 1;
  const shown = multiply(
    fromPrimaries(primaries, 1),
    map(light, (value) => value * scale),
  );
  return map(shown, (value) => clamp(value) ** (1 / 2.4));
}

/** Maps a luminance for a display of 1,000 cd/m2 to one whose peak is reference white (BT.2390 section 5.4.1). */
export function toneMap(nit: number): number {
  const peak = toPq(USUAL_PEAK_NIT);
  const maxLum = toPq(REFERENCE_WHITE_NIT) / peak;
  const knee = 1.5 * maxLum - 0.5;
  const e1 = Math.min(1, toPq(nit) / peak);
  if (e1 < knee) return nit;
  const t = (e1 - knee) / (1 - knee);
  const e2 =
    (2 * t ** 3 - 3 * t ** 2 + 1) * knee + (t ** 3 - 2 * t ** 2 + t) * (1 - knee) + (3 * t ** 2 - 2 * t ** 3) * maxLum;
  return fromPq(e2 * peak);
}

/** Converts R'G'B' of 0 to 1 to samples of a bit depth: Y'CbCr, or G, B, R if the matrix is 0. */
export function toSamples([r, g, b]: Triple, { matrix, isFullRange }: Coding, bits: number): Triple {
  if (matrix === 0) return map([g, b, r], (value) => Math.round(clamp(value) * (2 ** bits - 1)));
  const [kr, kb] = weightsOf(matrix);
  const y = kr * r + (1 - kr - kb) * g + kb * b;
  const { black, luma, chroma } = scaleOf(isFullRange, bits);
  const chromaOf = (value: number) => Math.round(2 ** (bits - 1) + chroma * value);
  return [Math.round(black + luma * y), chromaOf((b - y) / (2 * (1 - kb))), chromaOf((r - y) / (2 * (1 - kr)))];
}

/** Converts Y'CbCr samples to R'G'B'. The inverse of `toSamples`. */
export function fromSamples([luma, cb, cr]: Triple, { matrix, isFullRange }: Coding, bits: number): Triple {
  const [kr, kb] = weightsOf(matrix);
  const scale = scaleOf(isFullRange, bits);
  const y = (luma - scale.black) / scale.luma;
  const r = y + (2 * (1 - kr) * (cr - 2 ** (bits - 1))) / scale.chroma;
  const b = y + (2 * (1 - kb) * (cb - 2 ** (bits - 1))) / scale.chroma;
  return map([r, (y - kr * r - kb * b) / (1 - kr - kb), b], clamp);
}

function toLight(coded: Triple, transfer: number): Triple {
  switch (transfer) {
    case 16:
      return map(coded, (value) => fromPq(value) / REFERENCE_WHITE_NIT);
    case 18:
      return map(fromHlg(coded), (value) => value / REFERENCE_WHITE_NIT);
    case 4:
      return map(coded, (value) => value ** 2.2);
    case 13:
      return map(coded, (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    default:
      return map(coded, (value) => value ** 2.4);
  }
}

/** SMPTE ST 2084. */
function toPq(nit: number): number {
  const y = (nit / 10_000) ** (2610 / 16_384);
  return ((3424 / 4096 + (2413 / 128) * y) / (1 + (2392 / 128) * y)) ** (2523 / 32);
}

function fromPq(value: number): number {
  const e = clamp(value) ** (32 / 2523);
  return 10_000 * (Math.max(0, e - 3424 / 4096) / (2413 / 128 - (2392 / 128) * e)) ** (16_384 / 2610);
}

const HLG = { a: 0.17883277, b: 0.28466892, c: 0.55991073 };

/** ITU-R BT.2100 table 5: the OETF, after the inverse of the OOTF with a system gamma of 1.2. */
function toHlg(nits: Triple): Triple {
  const y = lumaOf(nits) / USUAL_PEAK_NIT;
  const scene = map(nits, (nit) => (y === 0 ? 0 : (nit / USUAL_PEAK_NIT) * y ** (1 / 1.2 - 1)));
  return map(scene, (e) => (e <= 1 / 12 ? Math.sqrt(3 * e) : HLG.a * Math.log(12 * e - HLG.b) + HLG.c));
}

function fromHlg(coded: Triple): Triple {
  const scene = map(coded, (value) =>
    value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - HLG.c) / HLG.a) + HLG.b) / 12,
  );
  const y = lumaOf(scene);
  return map(scene, (value) => USUAL_PEAK_NIT * value * y ** 0.2);
}

function lumaOf([r, g, b]: Triple): number {
  return 0.2627 * r + 0.678 * g + 0.0593 * b;
}

function toSrgb(value: number): number {
  return value <= 0.0031308 ? Math.max(0, value) * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

function weightsOf(matrix: number): readonly [number, number] {
  const weights = WEIGHTS[matrix];
  if (weights === undefined) throw new Error(`Expected a matrix of ${Object.keys(WEIGHTS).join(', ')}, got ${matrix}.`);
  return weights;
}

function scaleOf(isFullRange: boolean, bits: number): { black: number; luma: number; chroma: number } {
  const unit = 2 ** (bits - 8);
  if (isFullRange) return { black: 0, luma: 2 ** bits - 1, chroma: 2 ** bits - 1 };
  return { black: 16 * unit, luma: 219 * unit, chroma: 224 * unit };
}

type Matrix = readonly [Triple, Triple, Triple];

/** Returns the matrix that converts linear light from one set of primaries to another. */
function fromPrimaries(from: number, to: number): Matrix {
  const inverse = invert(toXyz(to));
  const source = toXyz(from);
  const column = (at: 0 | 1 | 2) => multiply(inverse, [source[0][at], source[1][at], source[2][at]]);
  const [r, g, b] = [column(0), column(1), column(2)];
  return [
    [r[0], g[0], b[0]],
    [r[1], g[1], b[1]],
    [r[2], g[2], b[2]],
  ];
}

function toXyz(primaries: number): Matrix {
  const points = CHROMATICITIES[primaries];
  if (points === undefined) throw new Error(`Expected primaries that are known here, got ${primaries}.`);
  const [r, g, b, white] = points.map(([x, y]): Triple => [x / y, 1, (1 - x - y) / y]) as [
    Triple,
    Triple,
    Triple,
    Triple,
  ];
  const plain: Matrix = [
    [r[0], g[0], b[0]],
    [r[1], g[1], b[1]],
    [r[2], g[2], b[2]],
  ];
  const share = multiply(invert(plain), white);
  const row = (one: Triple): Triple => [one[0] * share[0], one[1] * share[1], one[2] * share[2]];
  return [row(plain[0]), row(plain[1]), row(plain[2])];
}

function invert([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g);
  const over = (value: number) => value / det;
  return [
    map([e * i - f * h, c * h - b * i, b * f - c * e], over),
    map([f * g - d * i, a * i - c * g, c * d - a * f], over),
    map([d * h - e * g, b * g - a * h, a * e - b * d], over),
  ];
}

function multiply(matrix: Matrix, [x, y, z]: Triple): Triple {
  return map(matrix, (row) => row[0] * x + row[1] * y + row[2] * z);
}

function map<In>([x, y, z]: readonly [In, In, In], by: (value: In) => number): Triple {
  return [by(x), by(y), by(z)];
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
