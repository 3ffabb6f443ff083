import { expect, test } from 'vitest';
import { chapterMask, loadedUntil, nextStepMs, partOf, spanOf, timeAt } from './timeline.ts';

function ranges(...pairs: [number, number][]): TimeRanges {
  const at = (index: number) => pairs[index] ?? [0, 0];
  return { length: pairs.length, start: (index) => at(index)[0], end: (index) => at(index)[1] };
}

const GROWING = { isLive: false, isGrowing: true, expectedSec: 60 };

test('a finished video has the duration of its media once the media is loaded', () => {
  const finished = { ...GROWING, isGrowing: false };
  expect(spanOf({ duration: 12, seekable: ranges([0, 12]) }, finished).endSec).toBe(12);
  expect(spanOf({ duration: Number.NaN, seekable: ranges() }, finished).endSec).toBe(60);
});

test('a growing video shows its full length, and the viewer can seek as far as it is encoded', () => {
  const span = spanOf({ duration: 12, seekable: ranges([0, 12]) }, GROWING);
  expect(span).toEqual({ startSec: 0, endSec: 60, reachableSec: 12 });
  expect(partOf(span, 30)).toBe(0.5);
  expect(timeAt(span, 2)).toBe(60);
});

test('a live stream shows its seekable range', () => {
  const span = spanOf(
    { duration: Number.POSITIVE_INFINITY, seekable: ranges([100, 160]) },
    { ...GROWING, isLive: true },
  );
  expect(span).toEqual({ startSec: 100, endSec: 160, reachableSec: 160 });
  expect(partOf(span, 130)).toBe(0.5);
});

test('the position is 0 if the length is unknown', () => {
  const nothing = { isLive: false, isGrowing: false, expectedSec: 0 };
  expect(partOf(spanOf({ duration: Number.NaN, seekable: ranges() }, nothing), 5)).toBe(0);
});

test('the loaded range ends at the end of the buffered range around the current time', () => {
  expect(loadedUntil(ranges([0, 4], [8, 20]), 9)).toBe(20);
  expect(loadedUntil(ranges([0, 4], [8, 20]), 6)).toBe(6);
});

test('shows gaps between chapters, but not at the ends of the bar', () => {
  expect(chapterMask([0, 1], 2, false)).toBe('none');
  expect(chapterMask([0, 0.5], 2, false)).toBe(
    'linear-gradient(to right, #000 0, #000 calc(50% - 1px), transparent calc(50% - 1px), transparent calc(50% + ' +
      '1px), #000 calc(50% + 1px), #000 100%)',
  );
  expect(chapterMask([0.5], 2, true)).toContain('to left');
});

test.each([
  { what: 'twenty seconds on a thousand pixels', endSec: 20, rate: 1, widthPx: 1000, expected: 10 },
  { what: 'twenty seconds on a thousand pixels at double speed', endSec: 20, rate: 2, widthPx: 1000, expected: 5 },
  { what: 'ten minutes, drawn by timeupdate events', endSec: 600, rate: 1, widthPx: 1000, expected: null },
  { what: 'a bar without width', endSec: 20, rate: 1, widthPx: 0, expected: null },
  { what: 'an unknown length', endSec: 0, rate: 1, widthPx: 0, expected: null },
])('redraws the bar whenever a step is visible: $what', ({ endSec, rate, widthPx, expected }) => {
  expect(nextStepMs({ startSec: 0, endSec, reachableSec: endSec }, rate, widthPx)).toBe(expected);
});
