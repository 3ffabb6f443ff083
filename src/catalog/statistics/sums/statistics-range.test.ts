import { describe, expect, test } from 'vitest';
import { bucketKeys, DAY_MS, MAX_BUCKETS, rangeOf } from './statistics-range.ts';

const NOW = Date.parse('2026-08-20T10:30:00Z');

function keysOf(query: { dateFrom?: string; dateTo?: string; hourly?: boolean }): string[] {
  return bucketKeys(rangeOf({ dateFrom: '', dateTo: '', hourly: false, ...query }, NOW));
}

describe('the range of statistics', () => {
  test.each([
    { name: 'no dates', query: {} },
    { name: 'an invalid start with any end', query: { dateFrom: 'yesterday', dateTo: '2026-01-05' } },
    { name: 'a start that does not exist in the calendar', query: { dateFrom: '2026-06-31' } },
    { name: 'only an end', query: { dateTo: '2026-01-05' } },
  ])('$name returns the last 30 days', ({ query }) => {
    const keys = keysOf(query);
    expect([keys[0], keys.at(-1), keys.length]).toEqual(['2026-07-21T00:00:00Z', '2026-08-20T00:00:00Z', 31]);
  });

  test.each([
    { dateTo: '', last: '2026-08-20T00:00:00Z' },
    { dateTo: 'never', last: '2026-08-20T00:00:00Z' },
    { dateTo: '2026-08-01', last: '2026-08-20T00:00:00Z' },
    { dateTo: '2026-08-12T01:00:00+02:00', last: '2026-08-11T00:00:00Z' },
    { dateTo: '2026-08-12T01:00:00 02:00', last: '2026-08-11T00:00:00Z' },
    { dateTo: '2026-08-12T01:00:00+0200', last: '2026-08-11T00:00:00Z' },
    { dateTo: '2026-08-12T23:00z', last: '2026-08-12T00:00:00Z' },
    { dateTo: '2026-02-30', last: '2026-08-20T00:00:00Z' },
    { dateTo: '2099-01-01', last: '2026-08-20T00:00:00Z' },
  ])('a range from the 10th to "$dateTo" ends at $last', ({ dateTo, last }) => {
    const keys = keysOf({ dateFrom: '2026-08-10', dateTo });
    expect([keys[0], keys.at(-1)]).toEqual(['2026-08-10T00:00:00Z', last]);
  });

  test('uses whole hourly buckets and treats a time without a zone as UTC', () => {
    const keys = keysOf({ dateFrom: '2026-08-20T07:59:59', dateTo: '2026-08-20 09:00', hourly: true });
    expect(keys).toEqual(['2026-08-20T07:00:00Z', '2026-08-20T08:00:00Z', '2026-08-20T09:00:00Z']);
  });

  test.each([
    { dateFrom: '2026-08-21' },
    { dateFrom: '2027-01-01', dateTo: '2027-02-01' },
    { dateFrom: '2026-08-21', dateTo: '2026-08-10' },
    { dateFrom: '2026-08-20T11:00', hourly: true },
    { dateFrom: '9999-12-31T23:59-14:00' },
  ])('a range that starts in the future is empty: %o', (query) => {
    expect(keysOf(query)).toEqual([]);
    // The empty range begins at midnight, so sums by day are empty too.
    expect(rangeOf({ dateTo: '', hourly: false, ...query }, NOW).fromMs % DAY_MS).toBe(0);
  });

  test('includes the current day and hour, wherever within them the range begins', () => {
    expect(keysOf({ dateFrom: '2026-08-20T23:00' })).toEqual(['2026-08-20T00:00:00Z']);
    expect(keysOf({ dateFrom: '2026-08-20T10:59', hourly: true })).toEqual(['2026-08-20T10:00:00Z']);
  });

  test.each([
    { dateFrom: '2025-08-20T10:00', hours: 365 * 24 + 1 },
    { dateFrom: '2025-08-19T10:00', hours: MAX_BUCKETS },
    { dateFrom: '2023-12-31T10:00', dateTo: '2024-12-31T10:00', hours: MAX_BUCKETS },
  ])('a year of hourly buckets is complete: %o', ({ hours, ...query }) => {
    const keys = keysOf({ ...query, hourly: true });
    expect([keys.length, keys[0]]).toEqual([hours, `${query.dateFrom}:00Z`]);
  });

  test.each(['2025-08-19T09:00', '0001-01-01'])('rejects more hourly buckets than a year has: %s', (dateFrom) => {
    expect(() => keysOf({ dateFrom, hourly: true })).toThrow(/at most 8785 hours .* got \d+ hours\. Choose a shorter/);
  });

  test('a range of days that begins before all statistics keeps its end', () => {
    const keys = keysOf({ dateFrom: '0001-01-01' });
    expect([keys.length, keys.at(-1)]).toEqual([MAX_BUCKETS, '2026-08-20T00:00:00Z']);
  });
});
