import { describe, expect, test } from 'vitest';
import { openVisitLedger } from './visit-ledger.ts';

const DELIVERED = Date.parse('2026-08-20T10:59:50Z');

/** Creates a ledger for an 8 s clip, and a viewer whose time advances in steps of 250 ms. */
function watch(bucketSec = 1) {
  let nowMs = 1_000;
  const clock = { sinceTicketMs: () => nowMs, issuedAtMs: DELIVERED };
  const ledger = openVisitLedger(clock, { bucketSec, bucketCount: 8 / bucketSec });
  let positionSec = 0;
  return {
    ledger,
    play(sec: number, rate = 1, heightPx = 240) {
      ledger.moveTo(positionSec, rate, heightPx);
      for (let step = 0; step < sec * 4; step += 1) {
        nowMs += 250;
        positionSec += 0.25 * rate;
        ledger.moveTo(positionSec, rate, heightPx);
      }
    },
    wait(sec: number) {
      nowMs += sec * 1000;
    },
    seek(toSec: number) {
      ledger.jump();
      positionSec = toSec;
    },
    totals: () => ledger.totals(),
  };
}

describe('the ledger of a session', () => {
  test('is empty before the first moving frame', () => {
    const viewer = watch();
    viewer.wait(10);
    viewer.ledger.stall(false);
    expect(viewer.totals()).toBeNull();
  });

  test('counts wall-clock seconds of moving video, at any speed', () => {
    const viewer = watch();
    viewer.play(2);
    viewer.ledger.rest();
    viewer.wait(60);
    viewer.play(2, 2);
    expect(viewer.totals()).toMatchObject({ startedMs: 1_000, startupMs: 1_000 });
    expect(viewer.totals()?.watchedSec.reduce((sum, sec) => sum + sec)).toBe(4);
    expect([...(viewer.totals()?.heat ?? [])]).toEqual([1, 1, 1, 1, 1, 1, 0, 0]);
  });

  test('counts replayed time, but not a pause inside it', () => {
    const viewer = watch();
    viewer.play(2.5);
    viewer.ledger.rest();
    viewer.play(0.5);
    viewer.seek(1);
    viewer.play(2);
    expect([...(viewer.totals()?.heat ?? [])]).toEqual([1, 2, 2, 0, 0, 0, 0, 0]);
  });

  test('records the height of the watched video', () => {
    const viewer = watch();
    viewer.play(2, 1, 240);
    viewer.ledger.rest();
    viewer.play(3, 1, 720);
    expect(viewer.totals()?.rungSec).toEqual({ 240: 2, 720: 3 });
  });

  test('splits the watched time at the hour boundary', () => {
    const viewer = watch();
    viewer.wait(4);
    viewer.play(8);
    expect(viewer.totals()?.watchedSec).toEqual([5, 3]);
  });

  test('counts neither sleep nor a seek as watched', () => {
    const viewer = watch();
    viewer.play(1);
    viewer.wait(3_000);
    viewer.ledger.moveTo(1.1, 1, 240);
    viewer.ledger.moveTo(7, 1, 240);
    expect(viewer.totals()?.watchedSec[0]).toBe(1);
  });
});

test('counts stalls only after the start', () => {
  const viewer = watch();
  viewer.ledger.stall(false);
  viewer.ledger.stall(true);
  viewer.play(1);
  viewer.ledger.stall(false);
  viewer.wait(2);
  viewer.ledger.stall(true);
  expect(viewer.totals()).toMatchObject({ stallCount: 1, stallMs: 2_000 });
});

test('does not count sleep as part of a stall', () => {
  const viewer = watch();
  viewer.play(1);
  for (const sec of [0, 1, 3_600, 1]) {
    viewer.wait(sec);
    viewer.ledger.stall(false);
  }
  viewer.wait(0.5);
  viewer.ledger.stall(true);
  expect(viewer.totals()).toMatchObject({ stallCount: 1, stallMs: 2_500 });
});
