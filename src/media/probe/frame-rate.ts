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
const MAX_BURST_RATE = 60;
/**
 * Tolerance of a burst's rate. Times are rounded, in Matroska to a millisecond, so one second of 30 frames may seem to
 * have 30.6.
 */
const BURST_SLACK = 0.03;
/** Maximum ratio of the grid's rate to the bursts' rate. A much finer grid would only repeat frames. */
const MAX_ABOVE_BURST = 1.25;
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
 * Chooses the rate of the encoded frame grid of a constant-rate source: a standard rate within 0.1 % of its average,
 * else `base`, the rate that fits all its times, if that is a standard one, else the average itself. The result is
 * always 1 to 120 frames per second.
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
 * Chooses the rate of the frame grid of a variable-rate source: the standard rate nearest to its average or, if higher,
 * to its fastest second, `burst`, up to 60 frames per second. A recorded screen is static most of the time. All times
 * of the source are multiples of `base`.
 */
export function chooseVariableGridRate({ average, base, burst }: VariableRates): Rational {
  const usual = nearestUsual(Math.max(1, Math.min(120, toNumber(average))));
  const quickest = Math.min(burst, MAX_BURST_RATE);
  if (quickest <= toNumber(usual) * (1 + BURST_SLACK)) return usual;
  const least = quickest * (1 - BURST_SLACK);
  const holds = (rate: Rational) => toNumber(rate) >= least && toNumber(rate) <= quickest * MAX_ABOVE_BURST;
  const fitting = [nearestUsual(toNumber(base)), nearestUsual(quickest), ...USUAL_RATES].find(holds);
  return fitting ?? { num: Math.ceil(quickest), den: 1 };
}

/** Rates in frames per second. */
type VariableRates = { average: Rational; base: Rational; burst: number };

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
