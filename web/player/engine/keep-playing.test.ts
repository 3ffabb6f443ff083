import { expect, test } from 'vitest';
import { keepPlaying } from './keep-playing.ts';

/** Replacement for the video element, with the members that the tested code uses. */
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

test('playback continues once after a reset, whatever the number of attempts', () => {
  const { picture } = open();
  picture.report('play', 'emptied', 'emptied', 'emptied', 'loadeddata', 'loadeddata');
  expect(picture.plays).toBe(1);
});

test('playback stays paused after a reset if it was paused before or in the meantime', () => {
  const { picture } = open();
  picture.report('emptied', 'loadeddata', 'play', 'emptied', 'pause', 'loadeddata');
  expect(picture.plays).toBe(0);
});

test('keeps the playback speed, except the speed with which a live stream catches up', () => {
  const { picture, engine } = open();
  picture.playbackRate = 1.5;
  picture.report('ratechange');
  expect(picture.defaultPlaybackRate).toBe(1.5);
  engine.latencySec = 4;
  picture.playbackRate = 1.25;
  picture.report('ratechange');
  expect(picture.defaultPlaybackRate).toBe(1.5);
});
