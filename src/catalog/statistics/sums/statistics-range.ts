import { Refused } from '../../../lib/refused.ts';
import { HOUR_MS } from '../sessions/viewing-session.ts';

/** Query for statistics, as received. */
export type StatisticsQuery = { dateFrom: string; dateTo: string; hourly: boolean };

/** Whole buckets of `stepMs` in UTC, from `fromMs` (included) to `toMs` (excluded). */
export type StatisticsRange = { fromMs: number; toMs: number; stepMs: number };

export const DAY_MS = 24 * HOUR_MS;
const USUAL_MS = 30 * DAY_MS;
/**
 * Maximum number of buckets: the hours of a leap year, and one more if the range ends within an hour. The same number
 * of days reaches further back than any statistics.
 */
export const MAX_BUCKETS = 366 * 24 + 1;
const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+ -]\d{2}:?\d{2})?$/i;

/**
 * Returns the range of a query, by the rules of the hosted API. Without a valid `dateFrom` it is the last 30 days,
 * whatever `dateTo` is. A `dateTo` that is missing, invalid or before `dateFrom` means now. The range contains each
 * bucket that it touches completely, and is empty if it begins in a bucket after now. Days before the last
 * `MAX_BUCKETS`, 24 years, are left out. Throws `Refused` (`invalid`) for more than `MAX_BUCKETS` hours.
 */
export function rangeOf({ dateFrom, dateTo, hourly }: StatisticsQuery, nowMs: number): StatisticsRange {
  const stepMs = hourly ? HOUR_MS : DAY_MS;
  const sentFrom = readTime(dateFrom);
  const sentTo = readTime(dateTo);
  const from = sentFrom ?? nowMs - USUAL_MS;
  const to = sentFrom === null || sentTo === null || sentTo < from ? nowMs : Math.min(sentTo, nowMs);
  const fromMs = Math.floor(from / stepMs) * stepMs;
  const toMs = (Math.floor(to / stepMs) + 1) * stepMs;
  if (fromMs >= toMs) return nothingAfter(nowMs, stepMs);
  const buckets = (toMs - fromMs) / stepMs;
  if (hourly && buckets > MAX_BUCKETS) throw tooManyHours(buckets);
  return { fromMs: Math.max(fromMs, toMs - MAX_BUCKETS * stepMs), toMs, stepMs };
}

function tooManyHours(hours: number): Refused {
  const message =
    `Expected a range from dateFrom of at most ${MAX_BUCKETS} hours with hourly=true, got ${hours} hours. ` +
    'Choose a shorter range, or days with hourly=false.';
  return new Refused('invalid', message, { field: 'dateFrom' });
}

/** Returns a range after `nowMs` that is empty both in hourly and in daily sums. */
function nothingAfter(nowMs: number, stepMs: number): StatisticsRange {
  const dayMs = Math.ceil(nowMs / DAY_MS) * DAY_MS;
  return { fromMs: dayMs, toMs: dayMs, stepMs };
}

/** Returns the keys of a range's buckets in the API, `yyyy-MM-ddTHH:mm:ssZ`. */
export function bucketKeys({ fromMs, toMs, stepMs }: StatisticsRange): string[] {
  return Array.from({ length: (toMs - fromMs) / stepMs }, (_, index) => bucketKey(fromMs + index * stepMs));
}

export function bucketKey(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Returns the UTC day of a time, `yyyy-MM-dd`. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/**
 * Parses a date, with or without a time; without a zone it is UTC. An unescaped plus in an offset arrives as a space.
 * Returns null for an invalid date, such as the 30th of February.
 */
function readTime(text: string): number | null {
  const trimmed = text.trim();
  const found = DATE.exec(trimmed);
  if (found === null || !isDay(trimmed.slice(0, 10))) return null;
  const zone = found[1] ?? 'Z';
  const local = trimmed.slice(0, trimmed.length - (found[1]?.length ?? 0)).replace(' ', 'T');
  const ms = Date.parse(`${local.length === 10 ? `${local}T00:00` : local}${zone.replace(' ', '+')}`);
  return Number.isNaN(ms) ? null : ms;
}

function isDay(date: string): boolean {
  const ms = Date.parse(`${date}T00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === date;
}
