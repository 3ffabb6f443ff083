import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { behindSec } from './live-place.ts';
import { returnToLive } from './return-to-live.ts';

const HAVE_ENOUGH_DATA = 4;

/**
 * Replacement for the video element, with the members that the tested code uses. Its media is loaded up to the live
 * edge.
 */
class Picture extends EventTarget {
  paused = false;
  readyState = HAVE_ENOUGH_DATA;
  playbackRate = 1;
  currentTime = 100;
  newestSec = 100;
  unloadedSec = 0;

  get buffered() {
    return { length: 1, end: () => this.newestSec - this.unloadedSec };
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('HTMLMediaElement', { HAVE_FUTURE_DATA: 3 });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Opens a live stream at a delay. The engine normally plays it one second behind the live edge. */
function open(behindSec: number) {
  const picture = new Picture();
  const report = (...names: string[]) => {
    for (const name of names) picture.dispatchEvent(new Event(name));
  };
  const engine = {
    seeks: 0,
    isLive: true,
    isBehindExact: true,
    get behindSec() {
      return this.isLive ? picture.newestSec - 1 - picture.currentTime : null;
    },
    goLive() {
      this.seeks += 1;
      picture.currentTime = picture.newestSec - 1;
      report('seeking');
    },
  };
  picture.currentTime = picture.newestSec - 1 - behindSec;
  returnToLive(picture as unknown as HTMLVideoElement, engine);
  /** Plays for `sec` seconds. */
  const play = (sec: number) => {
    for (let index = 0; index < sec * 4; index += 1) {
      vi.advanceTimersByTime(250);
      picture.newestSec += 0.25;
      picture.currentTime += 0.25 * picture.playbackRate;
      report('timeupdate');
    }
  };
  const pause = (sec: number) => {
    picture.paused = true;
    report('pause');
    picture.newestSec += sec;
    report('timeupdate');
  };
  const resume = () => {
    picture.paused = false;
    play(2);
  };
  const seekBack = (sec: number) => {
    picture.currentTime -= sec;
    report('seeking', 'timeupdate');
  };
  return { picture, engine, report, play, pause, resume, seekBack };
}

type Opened = ReturnType<typeof open>;

test.each([4, 8, 11])(
  'a viewer who starts %i s behind reaches the live edge with a slightly higher speed',
  (behindSec) => {
    const { picture, engine, play } = open(behindSec);
    play(1);
    expect(picture.playbackRate).toBe(1.25);
    play(60);
    expect(engine.behindSec).toBeLessThan(0.1);
    expect([picture.playbackRate, engine.seeks]).toEqual([1, 0]);
  },
);

test('a higher speed makes up for a short pause, and after a long pause playback continues at its position', () => {
  for (const [pauseSec, rate] of [
    [6, 1.25],
    [20, 1],
  ] as const) {
    const { picture, engine, report, play } = open(0);
    play(5);
    report('pause');
    picture.newestSec += pauseSec;
    play(2);
    expect([picture.playbackRate, engine.seeks]).toEqual([rate, 0]);
  }
});

test('seeks to the live edge after a stall of any length, but not endlessly', () => {
  const { picture, engine, report, play } = open(0);
  const stall = (sec: number) => {
    report('waiting');
    picture.newestSec += sec;
    play(1);
  };
  play(5);
  stall(40);
  expect([engine.seeks, Number(engine.behindSec) < 0.5]).toEqual([1, true]);
  stall(5);
  expect([engine.seeks, picture.playbackRate]).toEqual([1, 1.25]);
  play(12);
  stall(5);
  expect(engine.seeks).toBe(2);
});

test('after a short stall, seeks only once the live edge is loaded', () => {
  const { picture, engine, report, play } = open(0);
  const stall = (sec: number, unloadedSec: number) => {
    report('waiting');
    picture.newestSec += sec;
    picture.unloadedSec = unloadedSec;
    play(1);
  };
  play(5);
  stall(5, 3);
  expect(engine.seeks).toBe(0);
  picture.unloadedSec = 0;
  play(1);
  expect(engine.seeks).toBe(1);
  play(12);
  stall(20, 18);
  expect(engine.seeks).toBe(2);
});

test('a viewer who seeks back stays there, at any speed, until they return to the live edge', () => {
  const { picture, engine, report, play } = open(0);
  play(5);
  picture.currentTime -= 8;
  report('seeking');
  picture.playbackRate = 1.5;
  report('waiting');
  play(4);
  expect([picture.playbackRate, engine.seeks]).toEqual([1.5, 0]);
  engine.goLive();
  play(2);
  expect(picture.playbackRate).toBe(1);
});

test('resets the catch-up speed at a seek back, a long pause and the end of the stream', () => {
  const leave = {
    back: ({ seekBack, play }: Opened) => {
      seekBack(20);
      play(1);
    },
    pause: ({ pause, resume }: Opened) => {
      pause(20);
      resume();
    },
    end: ({ engine, play }: Opened) => {
      engine.isLive = false;
      play(1);
    },
  };
  for (const [name, act] of Object.entries(leave)) {
    const opened = open(6);
    opened.play(1);
    expect(opened.picture.playbackRate).toBe(1.25);
    act(opened);
    expect([name, opened.picture.playbackRate, opened.engine.seeks]).toEqual([name, 1, 0]);
  }
});

test('does not change a speed that the viewer chose, even when they leave the live edge', () => {
  const { picture, engine, play, pause, resume, seekBack } = open(6);
  play(1);
  picture.playbackRate = 0.75;
  play(4);
  seekBack(20);
  play(1);
  pause(20);
  resume();
  engine.isLive = false;
  play(1);
  expect([picture.playbackRate, engine.seeks]).toEqual([0.75, 0]);
});

test('a viewer who seeks back before or during a pause stays there until they return to the live edge', () => {
  for (const isBefore of [true, false]) {
    const { picture, engine, report, play, pause, resume, seekBack } = open(0);
    play(5);
    if (isBefore) seekBack(8);
    pause(2);
    if (!isBefore) seekBack(8);
    resume();
    report('waiting');
    play(2);
    expect([picture.playbackRate, engine.seeks]).toEqual([1, 0]);
    pause(2);
    engine.goLive();
    picture.newestSec += 4;
    resume();
    expect(picture.playbackRate).toBe(1.25);
  }
});

test('if the browser plays the stream natively, seeks after a stall and does not change the speed', () => {
  const { picture, engine, report, play } = open(4);
  engine.isBehindExact = false;
  play(5);
  expect([picture.playbackRate, engine.seeks]).toEqual([1, 0]);
  report('waiting');
  picture.newestSec += 10;
  play(1);
  expect([picture.playbackRate, engine.seeks]).toEqual([1, 1]);
});

test('counts only the delay beyond three segments if the browser plays a growing stream natively', () => {
  const shown = { seekable: { length: 1, start: () => 0, end: () => 100 }, currentTime: 80 };
  const read = (duration: number) => behindSec(null, { ...shown, duration });
  expect([Number.POSITIVE_INFINITY, 2 ** 32, 100].map(read)).toEqual([14, 14, null]);
});
