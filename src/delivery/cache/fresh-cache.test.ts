import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { FreshCache } from './fresh-cache.ts';

function emptyCache() {
  const ignore = () => undefined;
  const limits = { ttlMs: 1000, absentTtlMs: 1000, maxBytes: 1000, maxLoads: 1 };
  return new FreshCache({ layer: 'test', ...limits, load: async () => ({}), sizeBytes: () => 1, onLoadError: ignore });
}

test.each([
  { ending: 'change', maxMs: 60_000, end: (cache: FreshCache<object>) => cache.invalidate('a') },
  { ending: 'invalidation of all keys', maxMs: 60_000, end: (cache: FreshCache<object>) => cache.invalidateAll() },
  { ending: 'its timeout', maxMs: 1, end: () => undefined },
  { ending: 'an abort', maxMs: 60_000, end: (_: unknown, closing: AbortController) => closing.abort() },
])('removes the abort listener of a wait that ends by $ending', async ({ maxMs, end }) => {
  const cache = emptyCache();
  const closing = new AbortController();
  const signal = AbortSignal.any([new AbortController().signal, closing.signal]);
  const over = cache.untilChange('a', maxMs, signal);
  expect(getEventListeners(signal, 'abort').length).toBe(1);
  end(cache, closing);
  await over;
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
