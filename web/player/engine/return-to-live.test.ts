import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { returnToLive } from './return-to-live.ts';

const HAVE_ENOUGH_DATA = 4;

/** As much of the browser's video element as is read here: what it plays is loaded up to the newest second. */
class Picture extends EventTarget {
  paused = false;
  readyState = HAVE_ENOUGH_DATA;
  playbackRate = 1;
  currentTime = 100;
  newestSec = 100;

  get buffered() {
    return { length: 1, end: () => this.newestSec };
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

/** Of the newest second, the engine watches from a second before. */
function open(behindSec: number) {
  const picture = new Picture();
  const report = (...names: string[]) => {
    for (const name of names) picture.dispatchEvent(new Event(name));
  };
  const engine = {
    seeks: 0,
    get behindSec() {
      return picture.newestSec - 1 - picture.currentTime;
    },
    goLive() {
      this.seeks += 1;
      picture.currentTime = picture.newestSec - 1;
      report('seeking');
    },
  };
  picture.currentTime = picture.newestSec - 1 - behindSec;
  returnToLive(picture as unknown as HTMLVideoElement, engine);
  /** Plays on for some seconds. */
  const play = (sec: number) => {
    for (let at = 0; at < sec * 4; at += 1) {
      vi.advanceTimersByTime(250);
      picture.newestSec += 0.25;
      picture.currentTime += 0.25 * picture.playbackRate;
      report('timeupdate');
    }
  };
  return { picture, engine, report, play };
}

test.each([4, 8, 11])('who begins %i s behind comes near the newest second by a little speed', (behindSec) => {
  const { picture, engine, play } = open(behindSec);
  play(1);
  expect(picture.playbackRate).toBe(1.25);
  play(60);
  expect(engine.behindSec).toBeLessThan(0.1);
  expect([picture.playbackRate, engine.seeks]).toEqual([1, 0]);
});

test('a short pause is made up for by speed; after a long one playback goes on where it was', () => {
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

test('a stall that left it far behind is made up for at once, however long, but not without end', () => {
  const { picture, engine, report, play } = open(0);
  const stall = (sec: number) => {
    report('waiting');
    picture.newestSec += sec;
    play(1);
  };
  play(5);
  stall(40);
  expect([engine.seeks, engine.behindSec < 0.5]).toEqual([1, true]);
  stall(5);
  expect([engine.seeks, picture.playbackRate]).toEqual([1, 1.25]);
  play(12);
  stall(5);
  expect(engine.seeks).toBe(2);
});

test('who goes back stays there, at any speed, until they are at the newest second again', () => {
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
