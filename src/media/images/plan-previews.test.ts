import { expect, test } from 'vitest';
import { BT709 } from '../probe/colours.ts';
import type { FrameFormat } from './plan-images.ts';
import { choosePreview, planPreviews } from './plan-previews.ts';

const SCALE = 1000;
test.each([
  { what: 'a short video shows its beginning', ticks: [100, 2000], endTick: 6000, expected: [[0, 3000]] },
  { what: 'a very short video is shown completely', ticks: [0], endTick: 40, expected: [[0, 40]] },
  {
    what: 'moments far apart',
    ticks: [1000, 9000, 20_000],
    endTick: 30_000,
    expected: [
      [1000, 2000],
      [9000, 10_000],
      [20_000, 21_000],
    ],
  },
  {
    what: 'moments close together',
    ticks: [5000, 5100, 9000],
    endTick: 30_000,
    expected: [
      [5000, 6000],
      [6000, 7000],
      [9000, 10_000],
    ],
  },
  {
    what: 'moments at the end',
    ticks: [0, 9500, 9900],
    endTick: 10_000,
    expected: [
      [0, 1000],
      [8000, 9000],
      [9000, 10_000],
    ],
  },
])('chooses a preview: $what', ({ ticks, endTick, expected }) => {
  const stretches = choosePreview(ticks, endTick, SCALE);
  expect(stretches.map(({ fromTick, toTick }) => [fromTick, toTick])).toEqual(expected);
});

const FRAME = { widthPx: 1920, heightPx: 1080, colours: BT709 };
const STRETCHES = [
  { fromTick: 1000, toTick: 2000 },
  { fromTick: 5000, toTick: 6000 },
];

function filtersOf(frame: FrameFormat, rate = { num: 25, den: 1 }): string {
  const { argv } = planPreviews(STRETCHES, frame, rate);
  return argv[argv.indexOf('-filter_complex') + 1] ?? '';
}

test('limits the long side of previews and never enlarges small videos', () => {
  const sizesOf = (frame: FrameFormat) => [...filtersOf(frame).matchAll(/scale=(\d+:\d+)/g)].map(([, size]) => size);
  expect(sizesOf(FRAME)).toEqual(['480:270', '320:180', '240:136']);
  expect(sizesOf({ ...FRAME, widthPx: 1080, heightPx: 1920 })).toEqual(['270:480', '180:320', '136:240']);
  expect(sizesOf({ ...FRAME, widthPx: 160, heightPx: 90 })).toEqual(['160:90', '160:90', '160:90']);
});

test('shows the chosen excerpts without gaps, at 30 fps at most', () => {
  expect(filtersOf(FRAME)).toContain("setpts='PTS-(1000+gte(PTS,5000)*3000)'");
  expect(filtersOf(FRAME)).toContain('fps=fps=25/1:');
  expect(filtersOf(FRAME, { num: 60, den: 1 })).toContain('fps=fps=30:');
});
