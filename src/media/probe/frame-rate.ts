import type { Rational } from './source-facts.ts';

/** The rates that cameras, screens and broadcasters use, in frames per second. */
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
const FASTEST: Rational = { num: 120, den: 1 };

/** The value of a ratio, as in frames per second. */
export function toNumber(ratio: Rational): number {
  return ratio.num / ratio.den;
}

/** Brings a ratio of positive whole numbers to lowest terms. */
export function reduceRatio(num: number, den: number): Rational {
  let [a, b] = [num, den];
  while (b !== 0) [a, b] = [b, a % b];
  return { num: num / a, den: den / a };
}

/** Reads `30000/1001`, `4:3` or `25` of ffprobe. Null for `0/0`, `N/A`, and anything not positive. */
export function parseRatio(text: string): Rational | null {
  const match = /^(\d{1,15})(?:[/:](\d{1,15}))?$/.exec(text);
  if (match === null) return null;
  const num = Number(match[1]);
  const den = Number(match[2] ?? '1');
  return num > 0 && den > 0 ? reduceRatio(num, den) : null;
}

/**
 * Chooses the rate of the encoded frame grid: a usual rate within 0.1 % of the average; else the average
 * itself when the source is constant; else the usual rate nearest to the average (by ratio). Always 1 to 120 frames per second.
 */
export function chooseGridRate(average: Rational, isVariable: boolean): Rational {
  const value = toNumber(average);
  if (value <= 1) return SLOWEST;
  if (value >= 120) return FASTEST;
  const nearest = nearestUsual(value);
  const isClose = Math.abs(toNumber(nearest) / value - 1) <= SNAP_SHARE;
  if (isClose || isVariable) return nearest;
  return average.den <= MAX_DENOMINATOR ? average : reduceRatio(Math.round(value * 1000), 1000);
}

function nearestUsual(value: number): Rational {
  const distance = (rate: Rational) => Math.abs(Math.log(toNumber(rate) / value));
  return USUAL_RATES.reduce((best, rate) => (distance(rate) < distance(best) ? rate : best));
}
