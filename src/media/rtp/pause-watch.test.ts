import { expect, test } from 'vitest';
import { PauseWatch } from './pause-watch.ts';

type Pause = { fromMs: number; toMs: number; lengthMs: number };

/**
 * Sends a packet every 20 ms, except during a pause. A packet sent at `ms` arrives at `arrivesMs(ms)`, and the clock of
 * the source is behind by `behindMs(ms)`. Returns when each packet was sent, and the time that results for it.
 */
function send(
  { fromMs, toMs, lengthMs }: Pause,
  behindMs: (ms: number) => number,
  arrivesMs = (ms: number) => ms,
): { sentMs: number; resultMs: number }[] {
  const watch = new PauseWatch<number>();
  let shiftedMs = 0;
  return Array.from({ length: lengthMs / 20 }, (_, index) => index * 20)
    .filter((ms) => ms < fromMs || ms >= toMs)
    .flatMap((ms) => {
      const { packets, shiftMs } = watch.admit(ms, ms - behindMs(ms), arrivesMs(ms));
      shiftedMs += shiftMs;
      return packets.map((sentMs) => ({ sentMs, resultMs: sentMs - behindMs(sentMs) + shiftedMs }));
    });
}

/** A pause whose last packets are received, and the number of packets. */
const PAUSE = { fromMs: 2_000, toMs: 8_000, lengthMs: 10_000 };
const COUNT = 200;

const LONG_MS = 36_000_000;

test.each([
  { title: 'stopped', pause: PAUSE, behindMs: (ms: number) => (ms >= 8_000 ? 6_000 : 0) },
  { title: 'continued', pause: PAUSE, behindMs: () => 0 },
  { title: 'jumped ahead', pause: PAUSE, behindMs: (ms: number) => (ms >= 8_000 ? -90_000 : 0) },
  {
    title: 'stopped for ten hours',
    pause: { fromMs: 2_000, toMs: LONG_MS, lengthMs: LONG_MS + 2_000 },
    behindMs: (ms: number) => (ms >= LONG_MS ? LONG_MS - 2_000 : 0),
  },
])('packets keep their time if the clock of the source $title during a pause', ({ pause, behindMs }) => {
  const results = send(pause, behindMs);
  expect(results).toHaveLength(COUNT);
  for (const { sentMs, resultMs } of results) expect(resultMs).toBe(sentMs);
});

test.each([
  { title: 'at once', intervalMs: 0 },
  { title: 'at twice the usual rate', intervalMs: 10 },
])('packets that the network held back keep their time if they arrive $title', ({ intervalMs }) => {
  const arrivesMs = (ms: number) => (ms < 2_000 ? ms : Math.max(ms, 3_000 + ((ms - 2_000) / 20) * intervalMs));
  const results = send({ fromMs: 0, toMs: 0, lengthMs: 6_000 }, () => 0, arrivesMs);
  expect(results).toHaveLength(300);
  for (const { sentMs, resultMs } of results) expect(resultMs).toBe(sentMs);
});

test('packets keep their time if the clock stops in two pauses, with a few packets between them', () => {
  const watch = new PauseWatch<number>();
  let shiftedMs = 0;
  const results: { sentMs: number; resultMs: number }[] = [];
  for (let ms = 0; ms < 14_000; ms += 20) {
    if ((ms >= 2_000 && ms < 6_000) || (ms >= 6_100 && ms < 12_000)) continue;
    const behindMs = ms < 2_000 ? 0 : ms < 6_100 ? 4_000 : 9_900;
    const { packets, shiftMs } = watch.admit(ms, ms - behindMs, ms);
    shiftedMs += shiftMs;
    results.push(...packets.map((sentMs) => ({ sentMs, resultMs: sentMs - behindMs + shiftedMs })));
  }
  for (const { sentMs, resultMs } of results) expect(resultMs).toBe(sentMs);
  // Only the five packets between the pauses are lost.
  expect(results).toHaveLength(200);
});
