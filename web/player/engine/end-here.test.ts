import { EventEmitter } from 'node:events';
import Hls, { type Fragment, type Part } from 'hls.js';
import { expect, test } from 'vitest';
import { endWithLast } from './end-here.ts';

/** Creates replacements for hls.js and the video element, with the members that the tested code uses. */
function open() {
  const ends: unknown[] = [];
  const emitter = new EventEmitter();
  const hls = {
    audioTracks: [{}],
    on: emitter.on.bind(emitter),
    once: emitter.once.bind(emitter),
    trigger: (_: string, { type }: { type: string }) => ends.push(type),
  };
  const ranges: [startSec: number, endSec: number][] = [];
  const buffered = {
    get length() {
      return ranges.length;
    },
    start: (index: number) => ranges[index]?.[0] ?? Number.NaN,
    end: (index: number) => ranges[index]?.[1] ?? Number.NaN,
  };
  const video = Object.assign(new EventTarget(), { currentTime: 0, buffered });
  endWithLast(hls as unknown as Hls, video as unknown as HTMLVideoElement);
  const load = (frag: Partial<Fragment>, part: Part | null = null) => {
    emitter.emit(Hls.Events.FRAG_BUFFERED, '', { frag: { type: 'main', level: 0, ...frag }, part });
    return ends.splice(0);
  };
  const show = (sec: number, loaded: typeof ranges) => {
    video.currentTime = sec;
    ranges.splice(0, ranges.length, ...loaded);
    video.dispatchEvent(new Event('seeked'));
    return ends.splice(0);
  };
  const list = (details: { partList: Part[] }) => emitter.emit(Hls.Events.LEVEL_UPDATED, '', { details });
  return { load, show, list };
}

const LAST = { sn: 9, start: 80, end: 80.04, endList: true };

test('ends the video when the last segment is loaded, and again when earlier media is loaded up to it', () => {
  const { load, show } = open();
  expect(load({ sn: 0, end: 8 })).toEqual([]);
  expect(load(LAST)).toEqual(['video']);
  const holed: [number, number][] = [
    [0, 20],
    [72, 79.9],
  ];
  expect(show(12, holed)).toEqual([]);
  expect(load({ sn: 3, end: 32 })).toEqual([]);
  expect(show(75, holed)).toEqual(['video']);
  show(12, [[0, 79.9]]);
  expect(load({ sn: 8, end: 80 })).toEqual(['video']);
  // In another rung, the last segment is not loaded.
  expect(load({ sn: 8, level: 1, end: 80 })).toEqual([]);
});

test('if the last segment is loaded in parts, the last part ends the video', () => {
  const { load, list } = open();
  const partOf = (sn: number, index: number) => ({ fragment: { sn }, index }) as Part;
  const parts = [partOf(8, 3), partOf(9, 0), partOf(9, 1), partOf(9, 2)];
  list({ partList: parts });
  expect(parts.slice(1).map((part) => load(LAST, part))).toEqual([[], [], ['video']]);
});
