import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openNatively } from './open-natively.ts';

const NETWORK = 2;
const DECODE = 3;

/**
 * Replacement for the video element, with the members that the tested code uses. `opened` collects the URLs that were
 * set.
 */
class Picture extends EventTarget {
  opened: string[] = [];
  error: { code: number } | null = null;
  preload = '';
  readyState = 0;
  currentTime = 0;
  playedSec = 0;
  seekable = { length: 1, end: () => 60 };
  played = { length: 1, start: () => 0, end: () => this.playedSec };

  set src(address: string) {
    this.opened.push(address);
    Object.assign(this, { error: null, readyState: 0, playedSec: 0 });
  }

  report(name: string, change: Partial<Picture> = {}): void {
    Object.assign(this, change);
    this.dispatchEvent(new Event(name));
  }

  /** Reports an error. Returns the time in ms after which the playlist is opened again, or null if it is not. */
  fail(code: number): number | null {
    const before = this.opened.length;
    this.report('error', { error: { code } });
    for (let ms = 0; ms <= 20_000; ms += 500) {
      if (this.opened.length > before) return ms;
      vi.advanceTimersByTime(500);
    }
    return null;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(startSec = 0, isLive = false) {
  const picture = new Picture();
  const reports: string[] = [];
  // Only the URL of the source is read.
  const source = { playlistUrl: '/list' } as Parameters<typeof openNatively>[1];
  const opening = {
    startSec,
    isLive,
    loadsAtOnce: true,
    buffersPaused: false,
    media: null,
    readLine: () => ({ bps: null, care: 'none' as const }),
  };
  const close = openNatively(picture as unknown as HTMLVideoElement, source, opening, (name) => reports.push(name));
  return { picture, reports, close };
}

test('retries a lost connection forever, at most 10 s apart, at the same position', () => {
  const { picture, reports } = open(5);
  expect([1, 2, 3, 4, 5, 6].map(() => picture.fail(NETWORK))).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  expect(new Set(picture.opened)).toEqual(new Set(['/list#t=5']));
  picture.report('loadeddata', { readyState: 4, currentTime: 30 });
  expect(picture.fail(NETWORK)).toBe(10_000);
  picture.report('timeupdate', { readyState: 4, currentTime: 33, playedSec: 3 });
  expect(picture.fail(NETWORK)).toBe(1_000);
  expect(picture.opened.slice(-2)).toEqual(['/list#t=30', '/list#t=33']);
  expect(new Set(reports)).toEqual(new Set(['trouble', 'loaded']));
});

test('a live stream continues at the live edge for viewers who watched the live edge', () => {
  const { picture } = open(0, true);
  picture.report('loadeddata', { readyState: 4, currentTime: 55 });
  picture.fail(NETWORK);
  expect(picture.opened).toEqual(['/list', '/list']);
});

test('does not reopen media that cannot be decoded or was closed', () => {
  const { picture, close } = open();
  expect(picture.fail(DECODE)).toBeNull();
  picture.report('error', { error: { code: NETWORK } });
  close();
  vi.advanceTimersByTime(20_000);
  expect(picture.fail(NETWORK)).toBeNull();
  expect(picture.opened.length).toBe(1);
});
