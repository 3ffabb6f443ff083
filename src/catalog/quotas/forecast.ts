/** Use in a month in UTC, `yyyy-MM`. `storageBytes`: stored at its last measurement, or null if there was none. */
export type MonthUsage = {
  month: string;
  storageBytes: number | null;
  encodedMinutes: number;
  bandwidthBytes: number;
};

/** Expected values at the end of the current month. */
export type Forecast = { month: string; storageBytes: number; encodedMinutes: number; bandwidthBytes: number };

/**
 * Minimum elapsed part of a first month. With less, a single upload would be extrapolated to a multiple of a month's
 * use.
 */
const MIN_PART = 0.1;

/**
 * Continues the current month, the last of `months`, to its end. With a preceding month, the rest of the month follows
 * both: after a quarter of the month, a quarter of the pace is that of this month, and three quarters that of the last
 * one. Without one, the present pace continues.
 */
export function forecastMonth(months: readonly MonthUsage[], nowMs: number): Forecast {
  const now = new Date(nowMs);
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const endMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
  const part = (nowMs - startMs) / (endMs - startMs);
  const current = months.at(-1);
  const before = months.at(-2);
  const atPace = (soFar: number, last: number | undefined) =>
    last === undefined ? soFar / Math.max(part, MIN_PART) : soFar + (1 - part) * (soFar + (1 - part) * last);
  const stored = current?.storageBytes ?? 0;
  const growth = stored - (before?.storageBytes ?? stored);
  return {
    month: new Date(startMs).toISOString().slice(0, 7),
    storageBytes: Math.max(0, Math.round(stored + (growth / Math.max(part, MIN_PART)) * (1 - part))),
    encodedMinutes: atPace(current?.encodedMinutes ?? 0, before?.encodedMinutes),
    bandwidthBytes: Math.round(atPace(current?.bandwidthBytes ?? 0, before?.bandwidthBytes)),
  };
}
