/** A transfer curve from `x` to `y`, both from 0 to 1. `expression` is an ffmpeg expression with `x` as `ld(0)`. */
type Curve = { expression: string; at(x: number): number };

type Vector = readonly [number, number, number];

/** Matrix and curves of an RGB profile (ISO 15076-1 section 8.3.3), which convert its RGB to linear sRGB. */
export type IccColours = { curves: readonly Curve[]; matrix: readonly Vector[] };

/**
 * Matrix from XYZ to linear sRGB: the inverse of the XYZ values of the sRGB primaries (as columns), adapted to D50 as
 * in profiles.
 */
const SRGB_FROM_XYZ: readonly Vector[] = [
  [3.1338561, -1.6168667, -0.4906146],
  [-0.9787684, 1.9161415, 0.033454],
  [0.0719453, -0.2289914, 1.4052427],
];

const MAX_TAGS = 200;
const HEADER_BYTES = 128;

/** Reads a profile. Returns null if it is not an RGB profile, has no matrix, or is damaged. */
export function readIccProfile(profile: Buffer): IccColours | null {
  if (profile.length < HEADER_BYTES + 4 || profile.toString('latin1', 16, 20) !== 'RGB ') return null;
  const tag = (name: string): Buffer | null => {
    const count = Math.min(MAX_TAGS, profile.readUInt32BE(HEADER_BYTES));
    for (let at = HEADER_BYTES + 4; at < HEADER_BYTES + 4 + 12 * count && at + 12 <= profile.length; at += 12) {
      if (profile.toString('latin1', at, at + 4) !== name) continue;
      const [offset, length] = [profile.readUInt32BE(at + 4), profile.readUInt32BE(at + 8)];
      return profile.subarray(offset, offset + length);
    }
    return null;
  };
  const primaries = ['rXYZ', 'gXYZ', 'bXYZ'].map((name) => readXyz(tag(name)));
  const curves = ['rTRC', 'gTRC', 'bTRC'].map((name) => readCurve(tag(name)));
  if (!primaries.every((one) => one !== null) || !curves.every((one) => one !== null)) return null;
  const matrix = SRGB_FROM_XYZ.map((row): Vector => {
    const [r = 0, g = 0, b = 0] = primaries.map((xyz) => row[0] * xyz[0] + row[1] * xyz[1] + row[2] * xyz[2]);
    return [r, g, b];
  });
  // ffmpeg's channel mixer supports values from -2 to 2.
  return matrix.flat().every((part) => Math.abs(part) <= 2) ? { curves, matrix } : null;
}

/** Whether colours are visibly equal to sRGB. */
export function isSrgb({ curves, matrix }: IccColours): boolean {
  const isUnit = matrix.every((row, y) => row.every((part, x) => Math.abs(part - Number(x === y)) < 0.02));
  const isUsual = curves.every((curve) => [0.1, 0.3, 0.5, 0.8].every((x) => Math.abs(curve.at(x) - srgb(x)) < 0.01));
  return isUnit && isUsual;
}

function srgb(x: number): number {
  return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
}

const s15Fixed16 = (bytes: Buffer, at: number) => bytes.readInt32BE(at) / 65_536;

function readXyz(bytes: Buffer | null): Vector | null {
  if (bytes === null || bytes.length < 20) return null;
  return [s15Fixed16(bytes, 8), s15Fixed16(bytes, 12), s15Fixed16(bytes, 16)];
}

/**
 * Reads a curve of type `curv` or `para` (ISO 15076-1 sections 10.6 and 10.18). Returns null for other types and
 * invalid curves.
 */
function readCurve(bytes: Buffer | null): Curve | null {
  if (bytes === null || bytes.length < 12) return null;
  const type = bytes.toString('latin1', 0, 4);
  if (type === 'para') return readParametric(bytes);
  if (type !== 'curv') return null;
  const count = bytes.readUInt32BE(8);
  if (count === 0) return power(1);
  if (count === 1) return bytes.length < 14 ? null : power(bytes.readUInt16BE(12) / 256);
  if (bytes.length < 12 + 2 * count) return null;
  const at = (x: number) => bytes.readUInt16BE(12 + 2 * Math.round(x * (count - 1))) / 65_535;
  const isLikeSrgb = [0.05, 0.1, 0.3, 0.5, 0.8].every((x) => Math.abs(at(x) - srgb(x)) < 0.01);
  if (isLikeSrgb) return parametric({ g: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, c: 1 / 12.92, d: 0.04045, e: 0, f: 0 });
  // Measured curves of screens are close to a power function.
  return power(Math.log(Math.max(at(0.5), 1e-3)) / Math.log(0.5));
}

function power(g: number): Curve | null {
  return parametric({ g, a: 1, b: 0, c: 0, d: 0, e: 0, f: 0 });
}

function readParametric(bytes: Buffer): Curve | null {
  const kind = bytes.readUInt16BE(8);
  const counts = [1, 3, 4, 5, 7];
  const count = counts[kind];
  if (count === undefined || bytes.length < 12 + 4 * count) return null;
  const [g = 1, a = 1, b = 0, third = 0, d = 0, e = 0, f = 0] = Array.from({ length: count }, (_, index) =>
    s15Fixed16(bytes, 12 + 4 * index),
  );
  if (kind === 1 || kind === 2) {
    const offset = kind === 2 ? third : 0;
    return parametric({ g, a, b, c: 0, d: a === 0 ? 0 : -b / a, e: offset, f: offset });
  }
  return parametric({ g, a, b, c: third, d, e, f });
}

/**
 * Returns the curve y = (a x + b) ^ g + e for x >= d, and y = c x + f for smaller x. Returns null for parameters that
 * no real image has.
 */
function parametric(part: Record<'g' | 'a' | 'b' | 'c' | 'd' | 'e' | 'f', number>): Curve | null {
  const { g, a, b, c, d, e, f } = part;
  if (g < 0.2 || g > 5) return null;
  const at = (x: number) => (x >= d ? Math.max(0, a * x + b) ** g + e : c * x + f);
  if (![0, 0.25, 0.5, 1].every((x) => at(x) >= -0.01 && at(x) <= 1.01)) return null;
  const [G, A, B, C, D, E, F] = [g, a, b, c, d, e, f].map((value) => value.toFixed(7));
  return { at, expression: `if(gte(ld(0),${D}),pow(max(0,${A}*ld(0)+${B}),${G})+${E},${C}*ld(0)+${F})` };
}
