import { readCues } from '../base/cues.ts';

/** A cue of a storyboard: the part of a sheet for a time range of the video. */
export type Still = {
  startSec: number;
  endSec: number;
  url: string;
  x: number;
  y: number;
  width: number;
  height: number;
};

const PART = /^(.+)#xywh=(\d+),(\d+),(\d+),(\d+)$/;

/**
 * Reads the cues of a storyboard's WebVTT. Skips cues that do not refer to a part of a sheet. `base` is the URL of the
 * WebVTT file.
 */
export function readStoryboard(text: string, base: string): Still[] {
  return readCues(text).flatMap(({ startSec, endSec, text: name }) => {
    const part = PART.exec(name);
    if (part === null) return [];
    const [, file = '', x, y, width, height] = part;
    const box = { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
    return [{ startSec, endSec, url: new URL(file, base).href, ...box }];
  });
}

export function findStill(stills: readonly Still[], sec: number): Still | null {
  return stills.find(({ startSec, endSec }) => startSec <= sec && sec < endSec) ?? stills.at(-1) ?? null;
}
