import type { Rational } from './source-facts.ts';

/** Frame rates of cameras, screens and broadcasters, in frames per second. */
export const USUAL_RATES: readonly Rational[] = [
  { num: 5, den: 1 },
  { num: 10, den: 1 },
  { num: 12, den: 1 },
  { num: 25, den: 2 },
  { num: 15, den: 1 },
  { num: 20, den: 1 },
  { num: 24000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30000, den: 1001 },
  { num: 30, den: 1 },
  { num: 48000, den: 1001 },
  { num: 48, den: 1 },
  { num: 50, den: 1 },
  { num: 60000, den: 1001 },
  { num: 60, den: 1 },
  { num: 90, den: 1 },
  { num: 100, den: 1 },
  { num: 120000, den: 1001 },
  { num: 120, den: 1 },
];

const SNAP_SHARE = 0.001;
const MAX_DENOMINATOR = 1001;
const SLOWEST: Rational = { num: 1, den: 1 };
const MAX_VARIABLE_RATE = 60;
/** Maximum ratio of the source's own base rate to the slowest fitting rate. A much finer grid only repeats frames. */
const MAX_ABOVE_SLOWEST = 1.25;
/** Ratio within which a standard rate is preferred. A short run of frames at 60 fps also fits on a grid of 59 fps. */
const MAX_ABOVE_ODD = 1.05;
const FASTEST: Rational = { num: 120, den: 1 };

/** Returns the value of a ratio, for example in frames per second. */
export function toNumber(ratio: Rational): number {
  return ratio.num / ratio.den;
}

/** Reduces a ratio of positive integers to lowest terms. */
export function reduceRatio(num: number, den: number): Rational {
  let [a, b] = [num, den];
  while (b !== 0) [a, b] = [b, a % b];
  return { num: num / a, den: den / a };
}

/** Parses ffprobe's `30000/1001`, `4:3` or `25`. Returns null for `0/0`, `N/A`, and anything not positive. */
export function parseRatio(text: string): Rational | null {
  const match = /^(\d{1,15})(?:[/:](\d{1,15}))?$/.exec(text);
  if (match === null) return null;
  const num = Number(match[1]);
  const den = Number(match[2] ?? '1');
  return num > 0 && den > 0 ? reduceRatio(num, den) : null;
}

/**
 * Chooses the rate of the encoded frame grid of a constant-rate source: a standard rate within 0.1 % of the average,
 * else `base` (the rate of which all times are multiples) if it is a standard rate, else the average itself. The result
 * is always 1 to 120 frames per second.
 */
export function chooseGridRate(average: Rational, base: Rational): Rational {
  const value = toNumber(average);
  if (value <= 1) return SLOWEST;
  if (value >= 120) return FASTEST;
  const nearest = nearestUsual(value);
  if (isNear(nearest, value)) return nearest;
  const kept = nearestUsual(toNumber(base));
  if (isNear(kept, toNumber(base)) && toNumber(base) < 1.5 * value) return kept;
  return average.den <= MAX_DENOMINATOR ? average : reduceRatio(Math.round(value * 1000), 1000);
}

/**
 * Chooses the rate of the frame grid of a variable-rate source. `grids` are the grids that keep all frames at their
 * times, slowest first. The result is `base` if it is at most 25 % faster than the slowest grid, because all times of
 * the source are multiples of it. Otherwise it is the standard rate up to 5 % faster than the slowest grid whose slots
 * are nearest to the frames, or the slowest grid itself. If no grid fits, the result is 60, or the standard rate
 * nearest to the average if that is higher. If the times are unknown, it is the standard rate nearest to the average.
 */
export function chooseVariableGridRate({ average, base, grids }: VariableRates): Rational {
  const usual = nearestUsual(Math.max(1, Math.min(120, toNumber(average))));
  if (grids === null) return usual;
  const [slowest] = grids;
  if (slowest === undefined) return toNumber(usual) > MAX_VARIABLE_RATE ? usual : { num: MAX_VARIABLE_RATE, den: 1 };
  const near = (share: number) => {
    return grids.filter(({ rate }) => toNumber(rate) <= toNumber(slowest.rate) * share);
  };
  const fromBase = ({ rate }: FittingGrid) => Math.abs(toNumber(rate) / toNumber(base) - 1);
  const [own] = near(MAX_ABOVE_SLOWEST)
    .filter((grid) => fromBase(grid) <= SNAP_SHARE)
    .toSorted((a, b) => fromBase(a) - fromBase(b));
  const isUsual = ({ rate }: FittingGrid) => USUAL_RATES.some((one) => toNumber(one) === toNumber(rate));
  const [nearest = slowest] = near(MAX_ABOVE_ODD)
    .filter(isUsual)
    .toSorted((a, b) => a.meanOffSec - b.meanOffSec);
  return (own ?? nearest).rate;
}

/** A frame grid, and the mean deviation of a source's frames from its slots, in seconds. */
export type FittingGrid = { rate: Rational; meanOffSec: number };

/** Rates in frames per second. `grids` is null if the times of the frames are unknown. */
type VariableRates = { average: Rational; base: Rational; grids: readonly FittingGrid[] | null };

/** Returns a numeric rate as a ratio, using a standard rate within 0.1 %. Returns null unless the rate is above 0. */
export function rateOfNumber(value: number): Rational | null {
  if (!(value > 0)) return null;
  const nearest = nearestUsual(value);
  return isNear(nearest, value) ? nearest : reduceRatio(Math.max(1, Math.round(value * 1000)), 1000);
}

function isNear(rate: Rational, value: number): boolean {
  return Math.abs(toNumber(rate) / value - 1) <= SNAP_SHARE;
}

function nearestUsual(value: number): Rational {
  const distance = (rate: Rational) => Math.abs(Math.log(toNumber(rate) / value));
  return USUAL_RATES.reduce((best, rate) => (distance(rate) < distance(best) ? rate : best));
}
