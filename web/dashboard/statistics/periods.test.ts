import { expect, test } from 'vitest';
import { comparedPeriods, monthsBefore, periodOf, queryOf } from './periods.ts';

const NOW = Date.parse('2026-03-18T10:30:00Z');
const NONE = { from: '', to: '' };

const text = ({ fromMs, endMs }: { fromMs: number; endMs: number }) =>
  [fromMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(' ');

test('months are counted backwards over the new year', () => {
  expect(monthsBefore(NOW, 4)).toEqual(['2026-03', '2026-02', '2026-01', '2025-12']);
});

test.each([
  ['30', NONE, '2026-02-16T00:00 2026-03-19T00:00'],
  ['1', NONE, '2026-03-17T10:00 2026-03-18T11:00'],
  ['2026-02', NONE, '2026-02-01T00:00 2026-03-01T00:00'],
  ['2026-03', NONE, '2026-03-01T00:00 2026-03-19T00:00'],
  ['own', { from: '2026-01-05', to: '2026-01-07' }, '2026-01-05T00:00 2026-01-08T00:00'],
  ['own', { from: '2026-01-05', to: '2026-01-01' }, '2026-01-05T00:00 2026-01-06T00:00'],
  ['own', NONE, '2026-03-18T00:00 2026-03-19T00:00'],
])('period %s with own dates %o', (choice, own, expected) => {
  expect(text(periodOf(choice, own, NOW))).toBe(expected);
});

test.each([
  // The incomplete day is left out, and the preceding period has as many whole days.
  ['30', 'previous', '2026-02-16T00:00 2026-03-18T00:00', '2026-01-17T00:00 2026-02-16T00:00'],
  ['1', 'previous', '2026-03-17T10:00 2026-03-18T10:00', '2026-03-16T10:00 2026-03-17T10:00'],
  ['2026-02', 'previous', '2026-02-01T00:00 2026-03-01T00:00', '2026-01-01T00:00 2026-02-01T00:00'],
  ['2026-03', 'previous', '2026-03-01T00:00 2026-03-18T00:00', '2026-02-01T00:00 2026-02-18T00:00'],
  ['2026-01', '2025-11', '2026-01-01T00:00 2026-02-01T00:00', '2025-11-01T00:00 2025-12-01T00:00'],
])('%s compared with %s', (choice, other, expected, expectedBefore) => {
  const { period, before } = comparedPeriods({ choice, period: periodOf(choice, NONE, NOW) }, other, NOW);
  expect([text(period), text(before)]).toEqual([expected, expectedBefore]);
});

test.each([
  ['30', true],
  ['1', true],
  ['2026-03', true],
  ['2026-02', false],
])('the comparison of %s is marked if it leaves out the current day or hour: %s', (choice, isCut) => {
  expect(comparedPeriods({ choice, period: periodOf(choice, NONE, NOW) }, 'previous', NOW)).toMatchObject({ isCut });
});

test('on the last days of a long month, the shorter month before it is complete', () => {
  const now = Date.parse('2026-03-31T10:30:00Z');
  const period = periodOf('2026-03', NONE, now);
  const { before } = comparedPeriods({ choice: '2026-03', period }, 'previous', now);
  expect(text(before)).toBe('2026-02-01T00:00 2026-03-01T00:00');
});

test('the query ends with the last second of the period', () => {
  expect(queryOf(periodOf('2026-02', NONE, NOW))).toBe('dateFrom=2026-02-01T00:00:00&dateTo=2026-02-28T23:59:59');
  expect(queryOf(periodOf('1', NONE, NOW))).toContain('&hourly=true');
});
