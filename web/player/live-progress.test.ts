import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Progress, watchLiveProgress } from './live-progress.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Playing = Parameters<typeof watchLiveProgress>[0] & { currentTime: number; paused: boolean; readyState: number };

/** A live stream that plays, with an element and a session whose members the test sets. */
function watch() {
  const ready = { readyState: 4, HAVE_FUTURE_DATA: 3 } as const;
  const video = Object.assign(new EventTarget(), { currentTime: 1, paused: false, ...ready } as Playing);
  const view: { kind: 'live' | 'reconnecting' } = { kind: 'live' };
  // The watched members of a session.
  const refresh = vi.fn(async () => {});
  const session = Object.assign(new EventTarget(), { isLive: true, view, refresh });
  const progress = watchLiveProgress(video, session as unknown as Parameters<typeof watchLiveProgress>[1]);
  const changes: Progress[] = [];
  progress.addEventListener('change', () => changes.push(progress.now));
  const pass = (ms: number, { plays }: { plays: boolean }) => {
    for (let at = 0; at < ms; at += 250) {
      if (plays) video.currentTime += 0.25;
      vi.advanceTimersByTime(250);
    }
  };
  const show = (kind: typeof view.kind) => {
    view.kind = kind;
    session.dispatchEvent(new Event('view'));
  };
  return { video, session, changes, pass, show };
}

test('a short stall changes nothing', () => {
  const { changes, pass } = watch();
  for (let times = 0; times < 5; times += 1) {
    pass(1_000, { plays: true });
    pass(1_500, { plays: false });
  }
  expect(changes).toEqual([]);
});

test('requests the state once the picture has stopped, and reports an interruption until it moves again', async () => {
  const { session, changes, pass, show } = watch();
  session.refresh.mockImplementation(async () => show('reconnecting'));
  pass(2_000, { plays: true });
  expect(session.refresh).not.toHaveBeenCalled();
  pass(1_250, { plays: false });
  expect(session.refresh).toHaveBeenCalledOnce();
  expect(changes).toEqual(['interrupted']);
  // Two edges may disagree for a moment.
  show('live');
  pass(1_000, { plays: false });
  expect(changes).toEqual(['interrupted']);
  pass(500, { plays: true });
  expect(changes).toEqual(['interrupted', 'playing']);
});

test('loaded media plays to its end before an interruption is reported', () => {
  const { changes, pass, show } = watch();
  show('reconnecting');
  pass(5_000, { plays: true });
  expect(changes).toEqual([]);
  pass(750, { plays: false });
  show('reconnecting');
  pass(250, { plays: false });
  expect(changes).toEqual(['interrupted']);
});

test('a stall after the return of the publisher is not reported as an interruption', () => {
  const { session, changes, pass, show } = watch();
  show('reconnecting');
  pass(1_000, { plays: true });
  pass(1_500, { plays: false });
  expect(changes).toEqual([]);
  expect(session.refresh).toHaveBeenCalledOnce();
  show('live');
  pass(500, { plays: true });
  expect(changes).toEqual([]);
});

test('a picture that stops for an unknown reason counts as waiting', () => {
  const { video, session, changes, pass } = watch();
  pass(1_000, { plays: true });
  // hls.js moves the position of a stalled video slightly.
  video.readyState = 2;
  pass(2_500, { plays: true });
  expect(changes).toEqual(['waiting']);
  expect(session.refresh).toHaveBeenCalled();
});

test('a paused stream is only interrupted if its publisher is away', () => {
  const { video, changes, pass, show } = watch();
  video.paused = true;
  pass(5_000, { plays: false });
  expect(changes).toEqual([]);
  show('reconnecting');
  pass(250, { plays: false });
  show('live');
  pass(250, { plays: false });
  expect(changes).toEqual(['interrupted', 'playing']);
});

test('seeking restarts the time without progress', () => {
  const { video, session, changes, pass } = watch();
  pass(1_000, { plays: true });
  for (let times = 0; times < 3; times += 1) {
    pass(750, { plays: false });
    video.dispatchEvent(new Event('seeking'));
  }
  pass(750, { plays: false });
  expect(session.refresh).not.toHaveBeenCalled();
  pass(250, { plays: false });
  expect(session.refresh).toHaveBeenCalledOnce();
  expect(changes).toEqual([]);
});

test('requests the state once at a time, and at most once per second', async () => {
  const { session, pass } = watch();
  const first = Promise.withResolvers<void>();
  session.refresh.mockImplementationOnce(() => first.promise);
  pass(1_000, { plays: true });
  pass(5_000, { plays: false });
  expect(session.refresh).toHaveBeenCalledOnce();
  first.resolve();
  for (let ms = 0; ms < 4_000; ms += 250) {
    await new Promise((resolve) => setImmediate(resolve));
    pass(250, { plays: false });
  }
  expect(session.refresh).toHaveBeenCalledTimes(5);
});
