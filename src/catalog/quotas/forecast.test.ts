import { expect, test } from 'vitest';
import { forecastMonth } from './forecast.ts';

const month = (name: string, storageBytes: number | null, amount: number) => {
  return { month: name, storageBytes, encodedMinutes: amount, bandwidthBytes: amount * 10 };
};
const forecastAt = (time: string, ...months: ReturnType<typeof month>[]) => {
  const { month: name, ...values } = forecastMonth(months, Date.parse(time));
  return [name, values.storageBytes, Math.round(values.encodedMinutes), values.bandwidthBytes];
};

test.each([
  [
    'a first month continues at its pace',
    '2026-11-16T00:00Z',
    [month('2026-11', 500, 60)],
    ['2026-11', 500, 120, 1200],
  ],
  [
    'the first days do not multiply a single upload by more than ten',
    '2026-11-01T01:00Z',
    [month('2026-11', 500, 6)],
    ['2026-11', 500, 60, 600],
  ],
  [
    'a month begins with the value of the last one',
    '2026-11-01T00:00Z',
    [month('2026-10', 500, 300), month('2026-11', 500, 0)],
    ['2026-11', 500, 300, 3000],
  ],
  [
    'the same pace as last month gives the same amount',
    '2026-11-16T00:00Z',
    [month('2026-10', 400, 100), month('2026-11', 500, 50)],
    ['2026-11', 600, 100, 1000],
  ],
  [
    'the last hour of a year only repeats what is known',
    '2026-12-31T23:59:59Z',
    [month('2026-11', 900, 1), month('2026-12', 500, 70)],
    ['2026-12', 500, 70, 700],
  ],
  [
    'storage without an earlier measurement stays, and never falls below nothing',
    '2026-02-15T00:00Z',
    [month('2026-01', null, 0), month('2026-02', 500, 0)],
    ['2026-02', 500, 0, 0],
  ],
  [
    'storage that is deleted quickly ends at nothing',
    '2026-11-16T00:00Z',
    [month('2026-10', 5000, 0), month('2026-11', 500, 0)],
    ['2026-11', 0, 0, 0],
  ],
])('%s', (_title, time, months, expected) => {
  expect(forecastAt(time, ...months)).toEqual(expected);
});
