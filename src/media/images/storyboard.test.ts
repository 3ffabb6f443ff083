import { describe, expect, test } from 'vitest';
import { hasImage } from './image-set.ts';
import {
  countSheets,
  missingSheets,
  planSheetRanges,
  planStoryboard,
  type Storyboard,
  writeStoryboardVtt,
} from './storyboard.ts';

test.each([
  { shape: '16:9, 30 s', widthPx: 1920, heightPx: 1080, durationMs: 30_000, expected: [15, 2, 168] },
  { shape: '16:9, just short of 10 s', widthPx: 1280, heightPx: 720, durationMs: 9_999, expected: [10, 1, 168] },
  { shape: '16:9, 10 s', widthPx: 1280, heightPx: 720, durationMs: 10_000, expected: [5, 2, 168] },
  { shape: 'upright', widthPx: 1080, heightPx: 1920, durationMs: 10_001, expected: [6, 2, 534] },
  { shape: 'a very tall picture', widthPx: 100, heightPx: 1000, durationMs: 60_000, expected: [30, 2, 600] },
  { shape: 'a very wide picture', widthPx: 1000, heightPx: 10, durationMs: 60_000, expected: [30, 2, 16] },
  { shape: 'a single frame', widthPx: 320, heightPx: 240, durationMs: 40, expected: [1, 1, 226] },
])('plans a storyboard: $shape', ({ widthPx, heightPx, durationMs, expected }) => {
  const board = planStoryboard({ widthPx, heightPx }, durationMs);
  expect([board.frames, board.everySec, board.tileHeightPx]).toEqual(expected);
  expect(board.tileWidthPx).toBe(300);
});

type Cue = { fromSec: number; toSec: number; sheet: number; x: number; y: number; widthPx: number; heightPx: number };

/** Reads WebVTT cues with media fragments, independently of the tested code, as players read thumbnails. */
function readCues(vtt: string): Cue[] {
  const [head, ...blocks] = vtt.trimEnd().split(/\n\n+/);
  expect(head).toBe('WEBVTT');
  return blocks.map((block) => {
    const found =
      /^(\d\d):(\d\d):(\d\d\.\d{3}) --> (\d\d):(\d\d):(\d\d\.\d{3})\n_(\d+)\.jpg#xywh=(\d+),(\d+),(\d+),(\d+)$/;
    const [h = 0, m = 0, s = 0, h2 = 0, m2 = 0, s2 = 0, sheet = -1, x = -1, y = -1, widthPx = -1, heightPx = -1] =
      found.exec(block)?.slice(1).map(Number) ?? [];
    return { fromSec: h * 3600 + m * 60 + s, toSec: h2 * 3600 + m2 * 60 + s2, sheet, x, y, widthPx, heightPx };
  });
}

describe('the WebVTT file of a storyboard', () => {
  test.each([400, 9_400, 30_000, 71_999, 72_001, 3_700_123])(
    'covers %i ms without a gap, with each tile once',
    (durationMs) => {
      const board: Storyboard = planStoryboard({ widthPx: 16, heightPx: 9 }, durationMs);
      const cues = readCues(writeStoryboardVtt(board));
      expect(cues).toHaveLength(board.frames);
      expect(cues[0]?.fromSec).toBe(0);
      expect(cues.at(-1)?.toSec).toBeCloseTo(durationMs / 1000, 6);
      cues.forEach((cue, index) => {
        expect(cue.toSec).toBeGreaterThan(cue.fromSec);
        if (index > 0) expect(cue.fromSec).toBe(cues[index - 1]?.toSec);
        expect(cue.x + cue.widthPx).toBeLessThanOrEqual(1800);
        expect(cue.y + cue.heightPx).toBeLessThanOrEqual(6 * board.tileHeightPx);
      });
      expect(new Set(cues.map(({ sheet, x, y }) => `${sheet} ${x} ${y}`)).size).toBe(board.frames);
      expect(cues.at(-1)?.sheet).toBe(countSheets(board) - 1);
    },
  );

  test('shows the eighth tile in the second row', () => {
    const cues = readCues(writeStoryboardVtt(planStoryboard({ widthPx: 16, heightPx: 9 }, 30_000)));
    expect(cues[7]).toEqual({ fromSec: 14, toSec: 16, sheet: 0, x: 300, y: 168, widthPx: 300, heightPx: 168 });
  });
});

test.each([400, 9_400, 71_999, 72_000, 72_001, 3_700_123, 36_000_000])(
  'the ranges of a %i ms storyboard contain each sheet once, up to the end',
  (durationMs) => {
    const ranges = planSheetRanges(durationMs);
    expect(ranges.length).toBeLessThanOrEqual(32);
    expect([ranges[0]?.first, ranges[0]?.fromSec, ranges.at(-1)?.toSec]).toEqual([0, 0, durationMs / 1000]);
    expect(ranges.at(-1)?.end).toBe(countSheets(planStoryboard({ widthPx: 16, heightPx: 9 }, durationMs)));
    for (const [index, { first, fromSec }] of ranges.slice(1).entries()) {
      expect([first, fromSec]).toEqual([ranges[index]?.end, ranges[index]?.toSec]);
      expect(fromSec).toBe(first * 72);
    }
    expect(missingSheets(durationMs, ranges)).toEqual([]);
    expect(missingSheets(durationMs, [])).toMatchObject([{ first: 0, toSec: durationMs / 1000 }]);
  },
);

test('finds missing sheets between and after stored ones', () => {
  const found = missingSheets(400_000, [
    { first: 3, end: 4 },
    { first: 0, end: 1 },
  ]);
  expect(found).toEqual([
    { first: 1, end: 3, fromSec: 72, toSec: 216 },
    { first: 4, end: 6, fromSec: 288, toSec: 400 },
  ]);
});

test('a set contains exactly the declared images', () => {
  const board = planStoryboard({ widthPx: 16, heightPx: 9 }, 73_000);
  const set = { timelineId: '' as never, folder: 'f', board, posters: 5, previews: ['preview.webp'] };
  const names = ['thumbnail_1.jpg', 'thumbnail_5.jpg', 'seek/_0.jpg', 'seek/_1.jpg', 'preview.webp'];
  expect(names.filter((name) => hasImage(set, name))).toEqual(names);
  const others = [
    'thumbnail_0.jpg',
    'thumbnail_6.jpg',
    'thumbnail_05.jpg',
    'seek/_2.jpg',
    'preview.gif',
    'seek/_01.jpg',
  ];
  expect(others.filter((name) => hasImage(set, name))).toEqual([]);
});
