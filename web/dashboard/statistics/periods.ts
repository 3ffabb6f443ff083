/** A period in UTC, from `fromMs` (included) to `endMs` (excluded), counted by days or by hours. */
export type Period = { fromMs: number; endMs: number; isHourly: boolean };

/** A number of days up to now, a month (`2026-11`), or `own` for chosen dates. */
export type PeriodChoice = string;

/** First and last day of chosen dates, `yyyy-MM-dd`. */
export type OwnDates = { from: string; to: string };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH = /^\d{4}-\d{2}$/;

/** Returns the current month and the ones before it, `yyyy-MM`, the newest first. */
export function monthsBefore(nowMs: number, count: number): string[] {
  return Array.from({ length: count }, (_, ago) => monthOf(startOfMonth(nowMs, -ago)));
}

/** Returns the period of a choice. Whole hours and days keep the URL the same between reads. */
export function periodOf(choice: PeriodChoice, own: OwnDates, nowMs: number): Period {
  if (MONTH.test(choice)) {
    const fromMs = Date.parse(`${choice}-01T00:00Z`);
    return { fromMs, endMs: Math.min(startOfMonth(fromMs, 1), endOfDay(nowMs)), isHourly: false };
  }
  if (choice === 'own') {
    const [first, last] = [Date.parse(`${own.from}T00:00Z`), Date.parse(`${own.to}T00:00Z`)];
    const fromMs = Number.isNaN(first) ? endOfDay(nowMs) - DAY_MS : first;
    const endMs = Number.isNaN(last) ? endOfDay(nowMs) : Math.min(last + DAY_MS, endOfDay(nowMs));
    return { fromMs, endMs: Math.max(endMs, fromMs + DAY_MS), isHourly: false };
  }
  const isHourly = choice === '1';
  const stepMs = isHourly ? HOUR_MS : DAY_MS;
  const nowStepMs = Math.floor(nowMs / stepMs) * stepMs;
  return { fromMs: nowStepMs - Number(choice) * DAY_MS, endMs: nowStepMs + stepMs, isHourly };
}

/** Two periods. `isCut`: the first one is without the current hour or day. */
export type ComparedPeriods = { period: Period; before: Period; isCut: boolean };

/**
 * Returns the periods to compare: without the current hour or day, which is incomplete, next to the preceding one
 * (`previous`) or a month. The month before a part of a month has the same number of days, as far as it has them.
 */
export function comparedPeriods(
  { choice, period }: { choice: PeriodChoice; period: Period },
  other: string,
  nowMs: number,
): ComparedPeriods {
  const stepMs = period.isHourly ? HOUR_MS : DAY_MS;
  const complete = Math.min(period.endMs, Math.floor(nowMs / stepMs) * stepMs);
  const whole = { ...period, endMs: Math.max(complete, period.fromMs + stepMs) };
  const isCut = whole.endMs < period.endMs;
  if (MONTH.test(other)) return { period: whole, before: periodOf(other, { from: '', to: '' }, nowMs), isCut };
  const lengthMs = whole.endMs - whole.fromMs;
  if (!MONTH.test(choice)) {
    return { period: whole, before: { ...whole, fromMs: whole.fromMs - lengthMs, endMs: whole.fromMs }, isCut };
  }
  const fromMs = startOfMonth(whole.fromMs, -1);
  const isFull = whole.endMs === startOfMonth(whole.fromMs, 1);
  const endMs = isFull ? whole.fromMs : Math.min(fromMs + lengthMs, whole.fromMs);
  return { period: whole, before: { ...whole, fromMs, endMs }, isCut };
}

/** Returns the query string that requests the statistics of a period. `dateTo` is inclusive. */
export function queryOf({ fromMs, endMs, isHourly }: Period): string {
  const time = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  return `dateFrom=${time(fromMs)}&dateTo=${time(endMs - 1_000)}${isHourly ? '&hourly=true' : ''}`;
}

function endOfDay(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

function startOfMonth(ms: number, months: number): number {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
