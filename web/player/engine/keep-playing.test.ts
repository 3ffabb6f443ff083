import { expect, test } from 'vitest';
import { keepPlaying } from './keep-playing.ts';

/** The part of the browser's video element that is read here. */
class Picture extends EventTarget {
  error = null;
  playbackRate = 1;
  defaultPlaybackRate = 1;
  plays = 0;

  async play(): Promise<void> {
    this.plays += 1;
  }

  report(...names: string[]): void {
    for (const name of names) this.dispatchEvent(new Event(name));
  }
}

function open() {
  const picture = new Picture();
  const engine = { latencySec: null as number | null };
  keepPlaying(picture as unknown as HTMLVideoElement, engine);
  return { picture, engine };
}

test('playback that was reset continues once, regardless of the number of attempts', () => {
  const { picture } = open();
  picture.report('play', 'emptied', 'emptied', 'emptied', 'loadeddata', 'loadeddata');
  expect(picture.plays).toBe(1);
});

test('playback that was paused in between, or did not play, stays paused', () => {
  const { picture } = open();
  picture.report('emptied', 'loadeddata', 'play', 'emptied', 'pause', 'loadeddata');
  expect(picture.plays).toBe(0);
});

test('keeps a speed, except the one with which a live stream catches up', () => {
  const { picture, engine } = open();
  picture.playbackRate = 1.5;
  picture.report('ratechange');
  expect(picture.defaultPlaybackRate).toBe(1.5);
  engine.latencySec = 4;
  picture.playbackRate = 1.25;
  picture.report('ratechange');
  expect(picture.defaultPlaybackRate).toBe(1.5);
});
