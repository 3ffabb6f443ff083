/** A point of CIE 1931, with x and y in units of 0.00002. */
type Chromaticity = readonly [number, number];

/**
 * Brightness metadata of an HDR video (SMPTE ST 2086 and CTA-861.3). Missing or impossible values are null. Luminances
 * in `mastering` are in units of 0.0001 cd/m2. Luminances in `light` are in cd/m2.
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
/** Minimum peak of an HDR display, in cd/m2. `MAX_PEAK_NIT` is the maximum that PQ can encode. */
const MIN_PEAK_NIT = 100;
const MAX_PEAK_NIT = 10_000;

/**
 * Reads the side data that ffprobe reports for a stream or its first frame. Drops values that no display or video can
 * have: encoders write zeros, which other programs would interpret as the brightness of the video. Returns null if no
 * values remain.
 */
export function readHdrMetadata(sideData: readonly Record<string, unknown>[]): HdrMetadata | null {
  const mastering = sideData.map(readMastering).find((found) => found !== null) ?? null;
  const light = sideData.map(readLight).find((found) => found !== null) ?? null;
  return mastering === null && light === null ? null : { mastering, light };
}

/** Returns the luminance of the brightest part of a video, in cd/m2, or null if the metadata does not contain it. */
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
  // 0 means "unknown" (CTA-861.3). An average above the maximum is invalid.
  return { maxContent, maxAverage: maxAverage >= 0 && maxAverage <= maxContent ? maxAverage : 0 };
}

function isPeak(nit: number): boolean {
  return nit >= MIN_PEAK_NIT && nit <= MAX_PEAK_NIT;
}

/** Returns the value of a ratio such as `34000/50000`, or of a number. Returns NaN for anything else. */
function ratioOf(value: unknown): number {
  if (typeof value === 'number') return value;
  const [num = '', den = '1'] = typeof value === 'string' ? value.split('/') : [];
  return num === '' ? Number.NaN : Number(num) / Number(den);
}
