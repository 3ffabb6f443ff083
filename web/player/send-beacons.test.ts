import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sendBeacons } from './send-beacons.ts';

const VIEWING = { ticket: `a.b.${Date.parse('2026-08-20T10:00:00Z')}`, bucketSec: 1, bucketCount: 60 };

/** As much of the browser's video element as the beacons read. */
class Picture extends EventTarget {
  paused = true;
  seeking = false;
  ended = false;
  loop = false;
  readyState = 4;
  currentTime = 0;
  duration = 60;
  playbackRate = 1;
  videoHeight = 240;

  report(name: string, change: Partial<Picture> = {}): void {
    Object.assign(this, change);
    this.dispatchEvent(new Event(name));
  }

  play(sec: number): void {
    this.report('playing', { paused: false, readyState: 4 });
    for (let step = 0; step < sec * 4; step += 1) {
      this.currentTime += 0.25;
      vi.advanceTimersByTime(250);
    }
  }
}

let sent: { startupMs: number | null; stallMs: number; failures: number }[];

beforeEach(() => {
  sent = [];
  vi.useFakeTimers();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible', referrer: '' }));
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('navigator', {
    sendBeacon: (_: string, body: string) => sent.push(JSON.parse(body.slice(body.indexOf('\n')))),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function watch(change: Partial<Parameters<typeof sendBeacons>[2]>): Picture {
  const counted = { counts: () => true, measuresStart: true, playsItself: () => true, ...change };
  const picture = new Picture();
  // The browser's own element: it is no part of this test what else it has.
  sendBeacons(picture as unknown as HTMLVideoElement, VIEWING, counted);
  return picture;
}

test('a trailer is no view, and to wait for the stream that takes its place no start', () => {
  let isTrailer = true;
  const picture = watch({ counts: () => !isTrailer, measuresStart: false });
  picture.play(12);
  picture.report('error');
  picture.report('pause', { paused: true });
  expect(sent).toEqual([]);
  isTrailer = false;
  picture.currentTime = 0;
  picture.play(1);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ watchedSec: [1], startupMs: null, failures: 0 });
});

test('a start is measured once, not again when a viewer comes back after hours', () => {
  const picture = watch({});
  picture.play(1);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ visit: 0, startupMs: expect.any(Number) });
  vi.advanceTimersByTime(3_600_000);
  picture.play(1);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ visit: 1, startupMs: null });
});

test('a pause within a stall is no part of it', () => {
  const picture = watch({});
  picture.play(1);
  picture.report('waiting', { readyState: 2 });
  vi.advanceTimersByTime(10_250);
  picture.report('pause', { paused: true });
  vi.advanceTimersByTime(60_000);
  picture.play(1);
  picture.report('waiting', { readyState: 2 });
  picture.report('pause', { paused: true });
  vi.advanceTimersByTime(60_000);
  picture.play(1);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ stallCount: 1, stallMs: 10_000 });
});

test.each([
  { what: 'the page plays by itself', playsItself: true, startupMs: 3_000 },
  { what: 'somebody presses play', playsItself: false, startupMs: 1_000 },
])('the start is measured from where $what', ({ playsItself, startupMs }) => {
  const beganMs = performance.now();
  const picture = watch({ playsItself: () => playsItself });
  vi.advanceTimersByTime(2_000);
  picture.report('play', { paused: false, readyState: 1 });
  vi.advanceTimersByTime(1_000);
  picture.play(2);
  const { startupMs: measuredMs } = sent.at(-1) ?? {};
  expect(measuredMs).toBeGreaterThanOrEqual((playsItself ? beganMs : 0) + startupMs);
  expect(measuredMs).toBeLessThan((playsItself ? beganMs : 0) + startupMs + 500);
});
