import { expect, test } from 'vitest';
import { type Attempts, type Fault, NO_ATTEMPTS, placeAfter, recover, resumeAt, segmentOf } from './recovery.ts';

const LINE: Fault = { kind: 'line', segment: null };
const DECODER: Fault = { kind: 'media', segment: null };
const GAP: Fault = { kind: 'line', segment: { startSec: 8, endSec: 12, isLast: false } };
const BROKEN: Fault = { kind: 'media', segment: { startSec: 8, endSec: 12, isLast: false } };

test('resets a failed decoder, and reloads the playlist if it fails again immediately', () => {
  const first = recover(DECODER, NO_ATTEMPTS, 10_000);
  expect(first.recovery).toEqual({ kind: 'reset-media' });
  expect(recover(DECODER, first.attempts, 11_000).recovery).toEqual({ kind: 'reload', afterMs: 1_000 });
  expect(recover(DECODER, first.attempts, 14_000).recovery).toEqual({ kind: 'reset-media' });
});

test('retries a lost connection forever, at most 10 s apart', () => {
  let attempts: Attempts = NO_ATTEMPTS;
  const waits: number[] = [];
  for (let nowMs = 0; nowMs < 6; nowMs += 1) {
    const next = recover(LINE, attempts, nowMs);
    if (next.recovery.kind === 'reload') waits.push(next.recovery.afterMs);
    attempts = next.attempts;
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test('skips a segment at its second failure, and retries another segment first', () => {
  const first = recover(GAP, NO_ATTEMPTS, 0);
  expect(first.recovery).toEqual({ kind: 'play-out', over: null, afterMs: 0 });
  expect(recover(GAP, first.attempts, 0).recovery).toEqual({ kind: 'play-out', over: GAP.segment, afterMs: 0 });
  const other: Fault = { kind: 'line', segment: { startSec: 20, endSec: 24, isLast: false } };
  expect(recover(other, first.attempts, 0).recovery).toEqual({ kind: 'play-out', over: null, afterMs: 0 });
});

test('requests consecutive missing segments at growing intervals', () => {
  let attempts: Attempts = NO_ATTEMPTS;
  const waits: number[] = [];
  for (let startSec = 0; startSec < 24; startSec += 4) {
    const next = recover({ kind: 'line', segment: { startSec, endSec: startSec + 4, isLast: false } }, attempts, 0);
    if (next.recovery.kind === 'play-out') waits.push(next.recovery.afterMs);
    attempts = next.attempts;
  }
  expect(waits).toEqual([0, 0, 4_000, 8_000, 10_000, 10_000]);
});

test('ends playback before a missing last segment, except in a growing video', () => {
  const last = segmentOf({ start: 20, end: 24 }, { live: false, edge: 24.1 });
  const { recovery } = recover({ kind: 'line', segment: last }, NO_ATTEMPTS, 0);
  expect(recovery).toEqual({ kind: 'end', fromSec: 19, afterMs: 1_000, brokenSec: null });
  expect(segmentOf({ start: 20, end: 24 }, { live: true, edge: 24.1 }).isLast).toBe(false);
  expect(segmentOf({ start: 16, end: 20 }, { live: false, edge: 24.1 }).isLast).toBe(false);
});

test('a video ends before its last segment if the decoder rejects this segment three times', () => {
  let attempts: Attempts = NO_ATTEMPTS;
  let recovery: unknown;
  const segment = { startSec: 20, endSec: 24, isLast: true };
  for (const nowMs of [10_000, 11_000, 13_500])
    ({ recovery, attempts } = recover({ kind: 'media', segment }, attempts, nowMs));
  expect(recovery).toEqual({ kind: 'end', fromSec: 19, afterMs: 2_000, brokenSec: 20 });
});

test('skips a segment that the decoder rejects three times', () => {
  let attempts: Attempts = NO_ATTEMPTS;
  const kinds: unknown[] = [];
  for (const nowMs of [10_000, 11_000, 13_500]) {
    const next = recover(BROKEN, attempts, nowMs);
    kinds.push(next.recovery);
    attempts = next.attempts;
  }
  expect(kinds).toEqual([
    { kind: 'reset-media' },
    { kind: 'reload', afterMs: 1_000 },
    { kind: 'play-out', over: BROKEN.segment, afterMs: 0 },
  ]);
});

test('after a reload, playback continues at its position, or at the live edge for viewers of the live edge', () => {
  const shown = { readyState: 2, currentTime: 95 };
  expect(resumeAt(shown, { openedAtSec: 3, latencySec: null })).toBe(95);
  expect(resumeAt(shown, { openedAtSec: 3, latencySec: 600 })).toBe(95);
  expect(resumeAt(shown, { openedAtSec: 3, latencySec: 2 })).toBe(0);
  // The playlist is reloaded again before anything was loaded, so the element has lost its position.
  expect(resumeAt({ readyState: 0, currentTime: 0 }, { openedAtSec: 95, latencySec: null })).toBe(95);
});

test("playback continues after a skipped segment, or at the viewer's new position", () => {
  const segment = { startSec: 8, endSec: 12 };
  expect([7.7, 10].map((sec) => placeAfter(segment, sec))).toEqual([12.3, 12.3]);
  expect([3, 60].map((sec) => placeAfter(segment, sec))).toEqual([null, null]);
});
