import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sendBeacons } from './send-beacons.ts';

const VIEWING = viewingOf('2026-08-20T10:00:00Z');

/** Returns the beacon data of a page that is opened at the given time, for the given video. */
function viewingOf(time: string, mediaId = 'b') {
  return { ticket: `1.${mediaId}.${Date.parse(time)}.1.60.p.m`, bucketSec: 1, bucketCount: 60 };
}

/** Replacement for the video element, with the members that the tested code uses. */
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

let sent: { ticket: string; startupMs: number | null; stallMs: number; failures: number }[];
let store: Map<string, string>;
/** Functions of the open page: `leave` leaves the page, `take` reports the length of the video. */
let leave: () => void;
let take: ReturnType<typeof sendBeacons>['take'];

beforeEach(() => {
  sent = [];
  store = new Map();
  vi.useFakeTimers();
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible', referrer: '' }));
  vi.stubGlobal('addEventListener', (name: string, listener: () => void) => {
    if (name === 'pagehide') leave = listener;
  });
  vi.stubGlobal('window', {
    sessionStorage: {
      getItem: (name: string) => store.get(name) ?? null,
      setItem: (name: string, value: string) => store.set(name, value),
      removeItem: (name: string) => store.delete(name),
    },
  });
  vi.stubGlobal('navigator', {
    sendBeacon(_: string, body: string) {
      const [ticket = '', text = ''] = body.split('\n');
      sent.push({ ticket, ...JSON.parse(text) });
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function watch(change: Partial<Parameters<typeof sendBeacons>[2]>, viewing = VIEWING): Picture {
  const renew = async () => null;
  const counted = { counts: () => true, measuresStart: true, playsItself: () => true, renew, ...change };
  const picture = new Picture();
  // The replacement lacks members of a real element that are irrelevant to this test.
  ({ take } = sendBeacons(picture as unknown as HTMLVideoElement, viewing, counted));
  return picture;
}

test('a trailer is not a view, and waiting for the stream that replaces it is not a start', () => {
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

test('measures a start once, not again when a viewer returns after hours', () => {
  const picture = watch({});
  picture.play(1);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ visit: 0, startupMs: expect.any(Number) });
  vi.advanceTimersByTime(3_600_000);
  picture.play(1);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ visit: 1, startupMs: null });
});

test('does not count a pause as part of a stall', () => {
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
  { what: 'the page starts playback', playsItself: true, startupMs: 3_000 },
  { what: 'the viewer presses play', playsItself: false, startupMs: 1_000 },
])('measures the startup time from the moment when $what', ({ playsItself, startupMs }) => {
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

test.each([
  {
    what: 'sleep while the page waits to play does not count as startup time',
    request: false,
    gapMs: 3_600_000,
    waitMs: 2_000,
  },
  {
    what: 'sleep after the viewer pressed play does not count as startup time',
    request: true,
    gapMs: 3_600_000,
    waitMs: 1_000,
  },
  { what: 'delays of a busy machine count as startup time', request: true, gapMs: 4_000, waitMs: 5_000 },
])('$what', ({ request, gapMs, waitMs }) => {
  const beganMs = request ? 0 : performance.now();
  const picture = watch({ playsItself: () => !request });
  vi.advanceTimersByTime(1_000);
  if (request) picture.report('play', { paused: false, readyState: 1 });
  // During sleep, the clock advances while no timer runs.
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + gapMs);
  vi.advanceTimersByTime(1_000);
  picture.play(2);
  picture.report('pause', { paused: true });
  clock.mockRestore();
  const { startupMs } = sent.at(-1) ?? {};
  expect(startupMs).toBeGreaterThanOrEqual(beganMs + waitMs - 500);
  expect(startupMs).toBeLessThan(beganMs + waitMs + 500);
});

/** Watches for two seconds and leaves the page. */
function watchAndLeave(viewing = VIEWING): void {
  const picture = watch({}, viewing);
  picture.play(2);
  picture.report('pause', { paused: true });
  leave();
}

test('a page opened again within half an hour continues the totals of the session', () => {
  const began = VIEWING.ticket;
  watchAndLeave();
  const before = sent.at(-1);
  expect(before).toMatchObject({ ticket: began, visit: 0, watchedSec: [2] });
  const picture = watch({}, viewingOf('2026-08-20T10:20:00Z'));
  picture.report('waiting', { readyState: 2 });
  vi.advanceTimersByTime(3_000);
  picture.play(3);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({
    ...{ ticket: began, visit: 0, watchedSec: [5], rungSec: { 240: 5 }, heat: 'AgIB', stallMs: 0 },
    startupMs: before?.startupMs,
  });
  const sequences = sent.map((beacon) => Reflect.get(beacon, 'sequence'));
  expect(sequences).toEqual(sequences.map((_, index) => index));
});

test.each([
  { what: 'after an idle half hour', viewing: viewingOf('2026-08-20T10:40:00Z') },
  { what: 'for another video', viewing: viewingOf('2026-08-20T10:01:00Z', 'c') },
  {
    what: 'when the length of the video has changed',
    viewing: { ...VIEWING, ticket: VIEWING.ticket.replace('.60.', '.61.') },
  },
])('a page that is opened $what begins a new session', ({ viewing }) => {
  watchAndLeave();
  watchAndLeave(viewing);
  expect(sent.at(-1)).toMatchObject({ ticket: viewing.ticket, visit: 0, watchedSec: [2] });
});

test('a stored session is read only once, so that a duplicated tab starts a new session', () => {
  watchAndLeave();
  const tabs = ['2026-08-20T10:01:00Z', '2026-08-20T10:02:00Z'].map((time) => viewingOf(time));
  for (const viewing of tabs) watch({}, viewing).play(1);
  expect(sent.slice(-2).map(({ ticket }) => ticket)).toEqual([VIEWING.ticket, tabs[1]?.ticket]);
});

test.each([
  'no JSON',
  'null',
  '{"ticket":1}',
  '{"ledger":{"counts":null}}',
  ...['movedMs', 'sequence', 'watchedMs', 'heat', 'rungMs', 'startedMs', 'stallCount'].map(
    (name) => (kept: string) => kept.replace(new RegExp(`"${name}":(\\[.*?\\]+|[\\d.]+)`), `"${name}":["x"]`),
  ),
])('ignores an invalid stored session (%#)', (forge) => {
  watchAndLeave();
  const [[name = '', kept = ''] = []] = store;
  const forged = typeof forge === 'string' ? forge : forge(kept);
  expect(forged).not.toBe(kept);
  store.set(name, forged);
  const viewing = viewingOf('2026-08-20T10:01:00Z');
  watchAndLeave(viewing);
  expect(sent.at(-1)).toMatchObject({ ticket: viewing.ticket, watchedSec: [2] });
});

test('a stream that becomes a video continues the session, which counts the heatmap from then on', async () => {
  const heatless = { ticket: VIEWING.ticket.replace('.60.', '.0.'), bucketSec: 1, bucketCount: 0 };
  let isAway = true;
  const renew = async (ticket: string) => (isAway ? null : ticket.replace('.0.', '.60.'));
  const picture = watch({ renew }, heatless);
  picture.play(2);
  picture.report('pause', { paused: true });
  take(viewingOf('2026-08-20T10:00:02Z'));
  picture.report('seeking', { currentTime: 0 });
  picture.play(3);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ ticket: heatless.ticket, watchedSec: [5], heat: 'AQEB' });
  isAway = false;
  picture.play(1);
  picture.report('pause', { paused: true });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sent.at(-1)).toMatchObject({ ticket: VIEWING.ticket, visit: 0, watchedSec: [6], heat: 'AQEBAQ' });
  leave();
  watchAndLeave(viewingOf('2026-08-20T10:01:00Z'));
  expect(sent.at(-1)).toMatchObject({ ticket: VIEWING.ticket, visit: 0, watchedSec: [8] });
});

test('a page opened after a stream has become a video continues the session', async () => {
  const heatless = { ticket: VIEWING.ticket.replace('.60.', '.0.'), bucketSec: 1, bucketCount: 0 };
  watchAndLeave(heatless);
  const renew = async (ticket: string) => ticket.replace('.0.', '.60.');
  const picture = watch({ renew }, viewingOf('2026-08-20T10:01:00Z'));
  picture.play(1);
  await vi.advanceTimersByTimeAsync(0);
  picture.report('pause', { paused: true });
  expect(sent.at(-1)).toMatchObject({ ticket: VIEWING.ticket, watchedSec: [3], heat: 'AQ' });
});

test('a page loaded half a day later uses its own ticket, because the first one expires', () => {
  watchAndLeave();
  const [[name = '', kept = ''] = []] = store;
  store.set(name, kept.replace(/"movedMs":[\d.]+/, `"movedMs":${12 * 3_600_000}`));
  const viewing = viewingOf('2026-08-20T22:01:00Z');
  watchAndLeave(viewing);
  expect(sent.at(-1)).toMatchObject({ ticket: viewing.ticket, watchedSec: [2] });
});

test('a page whose clock stopped during sleep continues after the totals of the page opened in the meantime', () => {
  watchAndLeave();
  const [[name = '', kept = ''] = []] = store;
  store.set(name, kept.replaceAll(/"(movedMs|startedMs)":[\d.]+/g, `"$1":${3_605_000}`));
  watchAndLeave(viewingOf('2026-08-20T10:59:50Z'));
  expect(sent.at(-1)).toMatchObject({ ticket: VIEWING.ticket, startedMs: 3_605_000, watchedSec: [4] });
});

test('limits the requests for a ticket that cannot be renewed', async () => {
  const renew = vi.fn(async () => null);
  const picture = watch({ renew }, { ticket: VIEWING.ticket.replace('.60.', '.0.'), bucketSec: 1, bucketCount: 0 });
  picture.play(1);
  take(viewingOf('2026-08-20T10:00:02Z'));
  picture.play(600);
  expect(renew).toHaveBeenCalledTimes(20);
});

test('a page without storage starts a new session', () => {
  const denied = () => {
    throw new DOMException('denied', 'SecurityError');
  };
  vi.stubGlobal('window', Object.defineProperty({}, 'sessionStorage', { get: denied }));
  watchAndLeave();
  const viewing = viewingOf('2026-08-20T10:01:00Z');
  watchAndLeave(viewing);
  expect(sent.at(-1)).toMatchObject({ ticket: viewing.ticket, watchedSec: [2] });
});
