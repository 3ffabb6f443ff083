import { expect, test } from 'vitest';
import { visibleRows } from './visible-rows.ts';

const ROW_PX = 50;
const even = () => ROW_PX;

test('only rows near the visible part are drawn, and the list keeps its height', () => {
  const box = { topPx: 100_000, heightPx: 500 };
  const { first, end, beforePx, afterPx } = visibleRows(5000, even, box);
  expect([first, end]).toEqual([1994, 2016]);
  expect(beforePx + (end - first) * ROW_PX + afterPx).toBe(5000 * ROW_PX);
  expect(beforePx).toBe(first * ROW_PX);
});

test('rows of different heights are counted with their own', () => {
  const heightOf = (index: number) => (index === 0 ? 2000 : ROW_PX);
  const { first, beforePx } = visibleRows(100, heightOf, { topPx: 2400, heightPx: 100 });
  expect([first, beforePx]).toEqual([3, 2100]);
});

test('short and empty lists are drawn completely', () => {
  const box = { topPx: 0, heightPx: 500 };
  expect(visibleRows(3, even, box)).toEqual({ first: 0, end: 3, beforePx: 0, afterPx: 0 });
  expect(visibleRows(0, even, box)).toEqual({ first: 0, end: 0, beforePx: 0, afterPx: 0 });
});

test('a list that became shorter than its scroll position draws its end', () => {
  const { first, end } = visibleRows(3, even, { topPx: 9000, heightPx: 500 });
  expect(end).toBe(3);
  expect(first).toBeLessThanOrEqual(3);
});
