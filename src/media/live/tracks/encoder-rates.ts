import { rateOfNumber, toNumber } from '../../probe/frame-rate.ts';

/** Minimum number of frame intervals needed to measure a rate. */
const MIN_INTERVALS = 4;
/** Bytes of the first frame to search for settings. x264 writes them before the coded picture. */
const SETTINGS_BYTES = 4096;
const GOP_SETTING = / keyint=(\d{1,5}) /;

/**
 * Returns the frame rate of frames shown at these times (ms, in any order), from the usual interval between frames.
 * Returns a standard rate if it is within a thousandth of the measured one, and 0 if there are too few frames.
 */
export function measureFrameRate(shownMs: readonly number[]): number {
  const times = shownMs.toSorted((a, b) => a - b);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0;
  // Ignore lost frames and those shown for longer. The mean of the others has no rounding error.
  const regular = steps.filter((step) => step > 0 && Math.abs(step - usual) <= Math.max(1.5, usual / 10));
  if (regular.length < MIN_INTERVALS) return 0;
  const meanMs = regular.reduce((sum, step) => sum + step, 0) / regular.length;
  const rate = rateOfNumber(1000 / meanMs);
  return rate === null ? 0 : toNumber(rate);
}

/** Size of a coded frame. */
export type SizedPicture = { isKey: boolean; bytes: number };

/** Assumed keyframe interval if the encoder does not declare it, in seconds. */
const USUAL_GOP_SEC = 2;

/**
 * Estimates a bit rate from the first frames, in bits per second. Counts each frame between keyframes, and a keyframe
 * once per GOP. Returns 0 if there are too few frames.
 */
export function estimateBps(
  pictures: readonly SizedPicture[],
  { frameRate, longestGopSec }: { frameRate: number; longestGopSec: number },
): number {
  const mean = (of: readonly SizedPicture[]) => of.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(1, of.length);
  const [keys, others] = [pictures.filter(({ isKey }) => isKey), pictures.filter(({ isKey }) => !isKey)];
  if (others.length < MIN_INTERVALS || frameRate <= 0) return 0;
  return Math.round(8 * (mean(others) * frameRate + mean(keys) / (longestGopSec || USUAL_GOP_SEC)));
}

/**
 * Returns the maximum number of frames between keyframes, from x264's settings in a keyframe. Returns 0 if there are no
 * settings.
 */
export function readLongestGop(bytes: Buffer): number {
  const found = GOP_SETTING.exec(bytes.toString('latin1', 0, SETTINGS_BYTES));
  return found === null ? 0 : Number(found[1]);
}
