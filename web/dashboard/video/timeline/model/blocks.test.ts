import { expect, test } from 'vitest';
import { findItemAt, findNeighbour, layBlocks } from './blocks.ts';

const item = (startSec: number, endSec: number) => ({ startSec, endSec, label: '' });

test('only items in the visible part are drawn, and wide ones end at its edge', () => {
  const items = [item(0, 5), item(5, 60), item(20, 25), item(70, 80)];
  expect(layBlocks(items, { fromSec: 10, spanSec: 20 }, 200)).toEqual([
    { index: 1, count: 1, leftPx: -8, widthPx: 216 },
    { index: 2, count: 1, leftPx: 100, widthPx: 50 },
  ]);
});

test('five thousand lines of ten hours become a bounded number of blocks that cover all of them', () => {
  const items = Array.from({ length: 5000 }, (_, index) => item(index * 7.2, index * 7.2 + 5));
  const blocks = layBlocks(items, { fromSec: 0, spanSec: 36_000 }, 1000);
  expect(blocks.length).toBeLessThan(300);
  expect(blocks.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  const near = layBlocks(items, { fromSec: 7200, spanSec: 60 }, 1000);
  expect(near.map(({ count }) => count)).toEqual(Array(near.length).fill(1));
  expect(near.length).toBeLessThan(12);
});

test('a wide item next to narrow ones is drawn alone, and items without a valid time are not drawn', () => {
  const items = [item(0, 0.1), item(0.1, 0.2), item(0.2, 50), item(Number.NaN, 60)];
  expect(layBlocks(items, { fromSec: 0, spanSec: 100 }, 100).map(({ index, count }) => [index, count])).toEqual([
    [0, 2],
    [2, 1],
  ]);
});

test('a click finds the item under it, the later of two adjacent ones, or the nearest within the tolerance', () => {
  const items = [item(0, 5), item(5, 10), item(12, 20)];
  expect(findItemAt(items, 3, 0.5)).toBe(0);
  expect(findItemAt(items, 5, 0.5)).toBe(1);
  expect(findItemAt(items, 11.8, 0.5)).toBe(2);
  expect(findItemAt(items, 11, 0.5)).toBeNull();
});

test('the next and the previous item start after and before a position', () => {
  const items = [item(0, 5), item(20, 25), item(10, 12)];
  expect(findNeighbour(items, 10, 1)).toBe(1);
  expect(findNeighbour(items, 10, -1)).toBe(0);
  expect(findNeighbour(items, 20, 1)).toBeNull();
});
