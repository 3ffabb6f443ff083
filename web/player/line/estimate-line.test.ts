import { expect, test } from 'vitest';
import { type Connection, estimateLine } from './estimate-line.ts';

const MBPS = 1_000_000;
const NOTHING = { transfers: [], historyBps: [], connection: null };
const WIFI: Connection = { saveData: false, type: 'wifi', effectiveType: '4g', downlinkMbps: 10 };

/** Returns a response of `bytes` bytes, received at `mbps` Mbit/s. */
function receive(startMs: number, bytes: number, mbps: number) {
  return { startMs, endMs: startMs + (bytes * 8) / (mbps * 1000), bytes };
}

test.each([
  { transfers: [receive(0, 94_000, 8)], mbps: 8, why: 'one script' },
  { transfers: [receive(0, 9_000, 900), receive(50, 94_000, 20)], mbps: 20, why: 'a page that arrived immediately' },
  {
    transfers: [
      { startMs: 0, endMs: 140, bytes: 100_000 },
      { startMs: 0, endMs: 40, bytes: 0 },
    ],
    mbps: 8,
    why: 'a browser that includes the latency in each duration',
  },
  { transfers: [receive(0, 9_000, 1), receive(40, 94_000, 8)], mbps: 8, why: 'a page whose server was busy' },
  { transfers: [receive(0, 60_000, 4), receive(0, 59_000, 4)], mbps: 8, why: 'two responses share the connection' },
])('the bandwidth is measured from responses: $why', ({ transfers, mbps }) => {
  expect((estimateLine({ ...NOTHING, transfers }).bps ?? 0) / MBPS).toBeCloseTo(mbps, 0);
});

test('ignores responses that arrive instantly or from a cache', () => {
  const transfers = [receive(0, 9_000, 900), { startMs: 60, endMs: 60, bytes: 300 }];
  expect(estimateLine({ ...NOTHING, transfers }).bps).toBeNull();
});

test.each([
  { measured: null, historyMbps: [30, 2, 25], mbps: 25, why: 'the median of the visits' },
  { measured: 16, historyMbps: [20], mbps: 20, why: 'a measured start is slower than the connection' },
  { measured: 2, historyMbps: [50], mbps: 4, why: 'a connection that became much slower' },
  { measured: 50, historyMbps: [2], mbps: 50, why: 'a connection that became faster' },
])('the estimate includes earlier visits: $why', ({ measured, historyMbps, mbps }) => {
  const transfers = measured === null ? [] : [receive(0, 200_000, measured)];
  const historyBps = historyMbps.map((one) => one * MBPS);
  expect((estimateLine({ ...NOTHING, transfers, historyBps }).bps ?? 0) / MBPS).toBeCloseTo(mbps, 1);
});

test('uses the estimate of the browser only if there are no measurements', () => {
  expect(estimateLine({ ...NOTHING, connection: WIFI }).bps).toBe(5 * MBPS);
  expect(estimateLine({ ...NOTHING, connection: WIFI, historyBps: [3 * MBPS] }).bps).toBe(3 * MBPS);
  expect(estimateLine({ ...NOTHING, connection: { ...WIFI, downlinkMbps: null } }).bps).toBeNull();
});

test.each([
  { connection: null, care: 'none' },
  { connection: WIFI, care: 'none' },
  { connection: { ...WIFI, saveData: true }, care: 'saving' },
  { connection: { ...WIFI, type: 'cellular' }, care: 'metered' },
  { connection: { ...WIFI, type: '', effectiveType: '3g' }, care: 'metered' },
])('classifies the connection $connection as "$care"', ({ connection, care }) => {
  expect(estimateLine({ ...NOTHING, connection }).care).toBe(care);
});
