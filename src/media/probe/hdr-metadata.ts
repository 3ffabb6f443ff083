/** A point of CIE 1931, x and y in units of 0.00002. */
type Chromaticity = readonly [number, number];

/**
 * How bright an HDR picture is, as SMPTE ST 2086 and CTA-861.3 state it; null for what is not stated or cannot be.
 * Luminances of `mastering` are in units of 0.0001 cd/m2, those of `light` in cd/m2.
 */
export type HdrMetadata = {
  mastering: {
    red: Chromaticity;
    green: Chromaticity;
    blue: Chromaticity;
    white: Chromaticity;
    maxLuminance: number;
    minLuminance: number;
  } | null;
  light: { maxContent: number; maxAverage: number } | null;
};

const CHROMATICITY_UNITS = 50_000;
const LUMINANCE_UNITS = 10_000;
/** No HDR display is darker, and PQ has no code value for more. */
const MIN_PEAK_NIT = 100;
const MAX_PEAK_NIT = 10_000;

/**
 * Reads the side data that ffprobe shows of a stream or of its first picture. Values that no display or picture can
 * have are left out: encoders write zeros, and other programs take them for the brightness of the picture. Null when
 * nothing is left.
 */
export function readHdrMetadata(sideData: readonly Record<string, unknown>[]): HdrMetadata | null {
  const mastering = sideData.map(readMastering).find((found) => found !== null) ?? null;
  const light = sideData.map(readLight).find((found) => found !== null) ?? null;
  return mastering === null && light === null ? null : { mastering, light };
}

/** The luminance of the brightest part of a picture, in cd/m2; null when the metadata does not state it. */
export function statedPeakNit(metadata: HdrMetadata | undefined): number | null {
  const { mastering, light } = metadata ?? { mastering: null, light: null };
  return light?.maxContent ?? (mastering === null ? null : mastering.maxLuminance / LUMINANCE_UNITS);
}

function readMastering(data: Record<string, unknown>): HdrMetadata['mastering'] {
  const point = (name: string): Chromaticity => [
    Math.round(ratioOf(data[`${name}_x`]) * CHROMATICITY_UNITS),
    Math.round(ratioOf(data[`${name}_y`]) * CHROMATICITY_UNITS),
  ];
  const [red, green, blue, white] = [point('red'), point('green'), point('blue'), point('white_point')];
  const [maxNit, minNit] = [ratioOf(data.max_luminance), ratioOf(data.min_luminance)];
  const isPossible = [red, green, blue, white].every(([x, y]) => x > 0 && y > 0 && x + y <= CHROMATICITY_UNITS);
  if (!isPossible || !(minNit >= 0 && minNit < maxNit && isPeak(maxNit))) return null;
  const [maxLuminance, minLuminance] = [maxNit, minNit].map((nit) => Math.round(nit * LUMINANCE_UNITS));
  return { red, green, blue, white, maxLuminance: maxLuminance ?? 0, minLuminance: minLuminance ?? 0 };
}

function readLight(data: Record<string, unknown>): HdrMetadata['light'] {
  const [maxContent, maxAverage] = [ratioOf(data.max_content), ratioOf(data.max_average)];
  if (!isPeak(maxContent)) return null;
  // 0 is "unknown" (CTA-861.3); an average above the maximum is none.
  return { maxContent, maxAverage: maxAverage >= 0 && maxAverage <= maxContent ? maxAverage : 0 };
}

function isPeak(nit: number): boolean {
  return nit >= MIN_PEAK_NIT && nit <= MAX_PEAK_NIT;
}

/** The value of `34000/50000`, or of a number; NaN for anything else. */
function ratioOf(value: unknown): number {
  if (typeof value === 'number') return value;
  const [num = '', den = '1'] = typeof value === 'string' ? value.split('/') : [];
  return num === '' ? Number.NaN : Number(num) / Number(den);
}
