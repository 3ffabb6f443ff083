import { expect, test } from 'vitest';
import { shareBandwidth } from './library-import.ts';

test.each([
  { concurrency: 3, limit: null, transfers: 3, each: null },
  { concurrency: 3, limit: 90_000, transfers: 3, each: 30_000 },
  { concurrency: 20, limit: 10_000, transfers: 2, each: 5_000 },
  { concurrency: 20, limit: 81_920, transfers: 20, each: 4_096 },
])('divides $limit bytes per second by $concurrency transfers', ({ concurrency, limit, transfers, each }) => {
  expect(shareBandwidth({ concurrency, maxBytesPerSec: limit })).toEqual({
    concurrency: transfers,
    maxBytesPerSec: each,
  });
});
