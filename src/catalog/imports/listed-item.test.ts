import { expect, test } from 'vitest';
import { readDays } from './listed-item.ts';

test('leaves out days with impossible numbers', () => {
  const days = [
    { day: '2026-01-01', views: 5, watchTime: 60 },
    { day: '2026-01-02', views: Number.MAX_SAFE_INTEGER, watchTime: 60 },
    { day: '2026-01-03', views: 5, watchTime: Number.MAX_SAFE_INTEGER },
    { day: '2026-01-04', views: -1, watchTime: 60 },
    { day: '2999-01-01', views: 5, watchTime: 60 },
  ];
  expect(readDays(days)).toEqual([{ dayMs: Date.parse('2026-01-01'), views: 5, watchSec: 60 }]);
});
