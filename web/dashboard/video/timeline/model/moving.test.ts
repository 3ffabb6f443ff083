import { expect, test } from 'vitest';
import { moveChapter } from './move-chapter.ts';
import { moveCue } from './move-cue.ts';
import { timesWithEdge } from './track.ts';

const CHAPTERS = [
  { title: 'a', start: 0, end: 10 },
  { title: 'b', start: 10, end: 20 },
  { title: 'c', start: 25, end: 30 },
];
const spans = (chapters: readonly { start: number; end: number }[]) => chapters.map(({ start, end }) => [start, end]);

test.each([
  {
    what: 'an edge moves the adjacent edge of its neighbour, in whole seconds',
    move: { index: 1, to: { startSec: 6.4, endSec: 20 }, edge: 'start' as const },
    spans: [
      [0, 6],
      [6, 20],
      [25, 30],
    ],
  },
  {
    what: 'an adjacent neighbour keeps a second',
    move: { index: 1, to: { startSec: -3, endSec: 20 }, edge: 'start' as const },
    spans: [
      [0, 1],
      [1, 20],
      [25, 30],
    ],
  },
  {
    what: 'an edge keeps its chapter a second long',
    move: { index: 1, to: { startSec: 20, endSec: 20 }, edge: 'start' as const },
    spans: [
      [0, 19],
      [19, 20],
      [25, 30],
    ],
  },
  {
    what: 'an edge stops at a chapter that is not adjacent',
    move: { index: 1, to: { startSec: 10, endSec: 28 }, edge: 'end' as const },
    spans: [
      [0, 10],
      [10, 25],
      [25, 30],
    ],
  },
  {
    what: 'a chapter keeps its length between its neighbours',
    move: { index: 1, to: { startSec: 18, endSec: 28 }, edge: 'both' as const },
    spans: [
      [0, 10],
      [15, 25],
      [25, 30],
    ],
  },
  {
    what: 'the last chapter ends with the video',
    move: { index: 2, to: { startSec: 25, endSec: 90 }, edge: 'end' as const },
    spans: [
      [0, 10],
      [10, 20],
      [25, 40],
    ],
  },
])('$what', ({ move: { index, ...move }, spans: expected }) => {
  expect(spans(moveChapter(CHAPTERS, index, { ...move, lengthSec: 40 }))).toEqual(expected);
});

const CUES = [
  { startSec: 1, endSec: 2, text: 'a' },
  { startSec: 3, endSec: 4, text: 'b' },
  { startSec: 6, endSec: 7, text: 'c' },
];

test.each([
  { index: 1, to: { startSec: 1.5, endSec: 4 }, edge: 'start' as const, moved: [2, 4] },
  { index: 1, to: { startSec: 4, endSec: 4 }, edge: 'start' as const, moved: [3.9, 4] },
  { index: 1, to: { startSec: 3, endSec: 9 }, edge: 'end' as const, moved: [3, 6] },
  { index: 1, to: { startSec: 5.50049, endSec: 6.50049 }, edge: 'both' as const, moved: [5, 6] },
  { index: 2, to: { startSec: 6, endSec: 99 }, edge: 'end' as const, moved: [6, 10] },
  { index: 0, to: { startSec: -5, endSec: -4 }, edge: 'both' as const, moved: [0, 1] },
])('line $index stays between its neighbours: $to', ({ index, to, edge, moved }) => {
  const after = moveCue(CUES, index, { to, edge, lengthSec: 10 });
  expect([after[index]?.startSec, after[index]?.endSec]).toEqual(moved);
  expect(after.filter((_, at) => at !== index)).toEqual(CUES.filter((_, at) => at !== index));
});

test('an item keeps its length if one edge is set beyond the other', () => {
  const item = { startSec: 10, endSec: 14 };
  const options = { lengthSec: 30, isPoint: false };
  expect(timesWithEdge(item, 'start', { ...options, here: 12 })).toEqual({ startSec: 12, endSec: 14 });
  expect(timesWithEdge(item, 'start', { ...options, here: 20 })).toEqual({ startSec: 20, endSec: 24 });
  expect(timesWithEdge(item, 'start', { ...options, here: 28 })).toEqual({ startSec: 28, endSec: 30 });
  expect(timesWithEdge(item, 'end', { ...options, here: 2 })).toEqual({ startSec: 0, endSec: 2 });
  expect(timesWithEdge(item, 'start', { ...options, isPoint: true, here: 2 })).toEqual({ startSec: 2, endSec: 2 });
});
