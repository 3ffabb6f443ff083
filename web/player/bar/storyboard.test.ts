import { expect, test } from 'vitest';
import { findStill, readStoryboard } from './storyboard.ts';

const VTT = `WEBVTT

00:00:00.000 --> 00:00:02.000
_0.jpg#xywh=0,0,300,169

00:00:02.000 --> 01:00:04.500
_0.jpg#xywh=300,0,300,169

00:05.000 --> 00:06.000
not a picture
`;

test('reads cues that refer to parts of sheets in the same folder, and skips others', () => {
  const stills = readStoryboard(VTT, 'http://edge/vz-1/id/seek/thumbnails.vtt');
  expect(stills).toEqual([
    { startSec: 0, endSec: 2, url: 'http://edge/vz-1/id/seek/_0.jpg', x: 0, y: 0, width: 300, height: 169 },
    { startSec: 2, endSec: 3604.5, url: 'http://edge/vz-1/id/seek/_0.jpg', x: 300, y: 0, width: 300, height: 169 },
  ]);
  expect(findStill(stills, 1.9)?.x).toBe(0);
  expect(findStill(stills, 9_000)?.x).toBe(300);
  expect(findStill([], 1)).toBe(null);
});
