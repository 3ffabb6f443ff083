import { rateOfNumber, toNumber } from '../../probe/frame-rate.ts';

/** Intervals from which a rate is measured; fewer say nothing. */
const LEAST_INTERVALS = 4;
/** x264 writes its settings into the first picture, before the coded one. */
const SETTINGS_BYTES = 4096;
const GOP_SETTING = / keyint=(\d{1,5}) /;

/**
 * The frame rate of pictures that are shown at these times (ms, in any order), from the usual distance of neighbours; a
 * usual rate where the measured one is within a thousandth. 0 when there are too few.
 */
export function measureFrameRate(shownMs: readonly number[]): number {
  const times = shownMs.toSorted((a, b) => a - b);
  const steps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  // A lost picture, or one that was shown for longer, does not count: the mean of the others knows no rounding.
  const regular = steps.filter((step) => step > 0 && Math.abs(step - usual) <= Math.max(1.5, usual / 10));
  if (regular.length < LEAST_INTERVALS) return 0;
  const meanMs = regular.reduce((sum, step) => sum + step, 0) / regular.length;
  const rate = rateOfNumber(1000 / meanMs);
  return rate === null ? 0 : toNumber(rate);
}

/** A coded picture as far as its cost goes. */
export type SizedPicture = { isKey: boolean; bytes: number };

/** How far keyframes are apart where the encoder does not state it. */
const USUAL_GOP_SEC = 2;

/**
 * Bits a second of pictures of which these are the first: those between keyframes count each, a keyframe once in a
 * group of pictures. 0 when there are too few.
 */
export function estimateBps(
  pictures: readonly SizedPicture[],
  { frameRate, longestGopSec }: { frameRate: number; longestGopSec: number },
): number {
  const mean = (of: readonly SizedPicture[]) => of.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, of.length);
  const [keys, others] = [pictures.filter(({ isKey }) => isKey), pictures.filter(({ isKey }) => !isKey)];
  if (others.length < LEAST_INTERVALS || frameRate <= 0) return 0;
  return Math.round(8 * (mean(others) * frameRate + mean(keys) / (longestGopSec || USUAL_GOP_SEC)));
}

/** How many pictures are between keyframes at most, as x264 states it in a keyframe; 0 when it does not. */
export function readLongestGop(bytes: Buffer): number {
  const found = GOP_SETTING.exec(bytes.toString('latin1', 0, SETTINGS_BYTES));
  return found === null ? 0 : Number(found[1]);
}
