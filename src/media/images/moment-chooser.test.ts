import { expect, test } from 'vitest';
import { compareMiniatures, judgeMiniature, MINIATURE, toGrey } from './miniature.ts';
import { createMomentChooser } from './moment-chooser.ts';

const PIXELS = MINIATURE.widthPx * MINIATURE.heightPx;
const flat = (level: number) => new Uint8Array(PIXELS).fill(level);
/**
 * Returns a miniature with stripes of the given width and shift. Different values produce different frames with
 * contrast.
 */
const stripes = (widthPx: number, shiftPx = 0) =>
  Uint8Array.from({ length: PIXELS }, (_, index) =>
    Math.floor(((index % MINIATURE.widthPx) + shiftPx) / widthPx) % 2 === 0 ? 60 : 200,
  );

function choose(frames: readonly Uint8Array[], count = 5) {
  const chooser = createMomentChooser(frames.length);
  for (const [tick, grey] of frames.entries()) chooser.push(tick, grey);
  return chooser.choose(count);
}

test('rates dark and flat frames low and frames with contrast and detail high', () => {
  expect([flat(0), flat(128), flat(255), new Uint8Array(0)].map(judgeMiniature)).toEqual([0, 0, 0, 0]);
  expect(judgeMiniature(stripes(2))).toBeGreaterThan(judgeMiniature(stripes(8)));
});

test('converts a colour to its luminance', () => {
  expect([...toGrey(Uint8Array.of(255, 255, 255, 9, 0, 255, 0, 9, 0, 0, 255, 9))]).toEqual([255, 182, 18]);
});

test('chooses at most one frame of a black start and one of a long still if there are other frames', () => {
  const still = Array.from({ length: 30 }, () => stripes(4));
  const scenes = [stripes(2), stripes(3), stripes(5), stripes(8)];
  const { ticks, best } = choose([...Array.from({ length: 20 }, () => flat(0)), ...still, ...scenes]);
  expect(ticks.filter((tick) => tick < 20)).toEqual([]);
  expect(ticks.filter((tick) => tick >= 20 && tick < 50)).toHaveLength(1);
  expect(ticks.slice(1)).toEqual([50, 51, 52, 53]);
  expect(ticks[best]).toBe(50);
});

test('chooses five moments far apart in a video of a single still', () => {
  const { ticks } = choose(Array.from({ length: 101 }, () => stripes(4)));
  const gaps = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));
  expect(ticks).toHaveLength(5);
  expect(Math.min(...gaps)).toBeGreaterThan(10);
});

test('prefers a repeated still to a black frame', () => {
  const { ticks } = choose([
    ...Array.from({ length: 40 }, () => flat(0)),
    ...Array.from({ length: 10 }, () => stripes(4)),
  ]);
  expect(ticks.filter((tick) => tick < 40)).toEqual([]);
});

test('chooses moments of a black video and two moments of a video with two frames', () => {
  expect(choose(Array.from({ length: 50 }, () => flat(0))).ticks).toHaveLength(5);
  expect(choose([stripes(2), stripes(3)])).toEqual({ ticks: [0, 1], best: 0 });
});

test('keeps a bounded number of moments, including the last one', () => {
  const chooser = createMomentChooser(10_000);
  const [usual, last] = [stripes(6), stripes(2)];
  for (let tick = 0; tick <= 10_000; tick += 1) chooser.push(tick, tick === 10_000 ? last : usual);
  expect(chooser.choose(1000).ticks).toHaveLength(96);
  expect(chooser.choose(1).ticks).toEqual([10_000]);
});

test('throws if there are no moments', () => {
  expect(() => createMomentChooser(10).choose(5)).toThrow('at least one moment');
});

test('the difference of two frames is the difference of their grey levels', () => {
  expect(compareMiniatures(flat(10), flat(30))).toBe(20);
});
