import { expect, test } from 'vitest';
import { cursorAfter, placeOf } from './numbered-pages.ts';

const MAX_READS = 10_000;

test('a list whose total alternates is refused instead of being read forever', () => {
  const read = () => {
    let cursor: string | null = 'videos 1';
    for (let reads = 0; cursor !== null && reads < MAX_READS; reads += 1) {
      cursor = cursorAfter(placeOf(cursor), { total: 10 - (reads % 2), pageItems: 2, isLast: false });
    }
  };
  expect(read).toThrow('became shorter 1000 times while it was read');
});

test('a list continues at the page to which the next unread item has moved', () => {
  const page = { pageItems: 10, isLast: true };
  expect(cursorAfter(placeOf('videos 5 50 2'), { ...page, total: 38 })).toBe('videos 3 38 3');
  expect(cursorAfter(placeOf('videos 5 50 2'), { ...page, total: 50 })).toBe(null);
  expect(cursorAfter(placeOf('videos 4'), { ...page, total: 50, isLast: false })).toBe('videos 5 50 0');
});
