import { expect, test } from 'vitest';
import { embedCode, frameShape } from './embed-code.ts';

test.each([
  { width: 1920, height: 1080, ratio: 'aspect-ratio:1920/1080"' },
  { width: 1080, height: 1920, ratio: 'aspect-ratio:1080/1920;max-height:100vh"' },
  { width: 0, height: 0, ratio: 'aspect-ratio:16/9"' },
])('the frame of a video of $width x $height has the aspect ratio of the video', ({ width, height, ratio }) => {
  expect(embedCode('http://edge/embed/1/2', { width, height, title: 'A "film"' })).toContain(ratio);
});

test('the dashboard uses a portrait frame only for a portrait video', () => {
  expect(frameShape({ width: 1080, height: 1920 }).class).toBe('player portrait');
  expect(frameShape({ width: 1920, height: 1080 }).class).toBe('player');
});
