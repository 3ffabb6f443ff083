import { expect, test } from 'vitest';
import { heatPoints } from './heat-points.ts';

test('the heat covers the whole video, with 0 where nobody watched', () => {
  expect(heatPoints({ 0: 100, 1: 50 }, 4)).toEqual([
    { share: 0.125, value: 100 },
    { share: 0.375, value: 50 },
    { share: 0.625, value: 0 },
    { share: 0.875, value: 0 },
  ]);
});

test.each([[null], [{}]])('there are no points without a heatmap: %j', (heat) => {
  expect(heatPoints(heat, 4)).toEqual([]);
});

test('the heat of a long video has a limited number of points', () => {
  expect(heatPoints({ 35999: 100 }, 36_000)).toHaveLength(600);
});
