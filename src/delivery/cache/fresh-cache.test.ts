import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FreshCache } from './fresh-cache.ts';
import { withRequestPatience } from './request-patience.ts';

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

/** Returns a cache whose loads take as long as `pace.ms` when they start; null fails them immediately. */
function slowCache(pace: { ms: number | null }) {
  const load = async (key: string) => {
    if (pace.ms === null) throw new Error('connection refused');
    await new Promise((resolve) => setTimeout(resolve, pace.ms ?? 0));
    return { key };
  };
  const limits = { ttlMs: 1_000, absentTtlMs: 1_000, maxBytes: 1e9, maxLoads: 1e4 };
  return new FreshCache({ layer: 'test', ...limits, load, sizeBytes: () => 1, onLoadError: () => undefined });
}

/** Returns how long each request takes, and whether it got a value. */
async function timeAll(requests: Promise<object | null>[]) {
  const startedMs = performance.now();
  const timed = requests.map(async (request) => {
    const isFound = await request.then(() => true).catch(() => false);
    return { isFound, ms: performance.now() - startedMs };
  });
  await vi.advanceTimersByTimeAsync(60_000);
  return Promise.all(timed);
}

describe('the first value of a key', () => {
  afterEach(() => void vi.useRealTimers());

  test('is awaited for 8 s, then for 1.3 s until a load succeeds again', async () => {
    vi.useFakeTimers();
    const pace = { ms: 3_000 };
    const cache = slowCache(pace);
    expect(await timeAll([cache.get('a')])).toEqual([{ isFound: true, ms: 3_000 }]);
    pace.ms = 30_000;
    const silent = timeAll([cache.get('b')]);
    await vi.advanceTimersByTimeAsync(8_000);
    const next = timeAll([cache.get('c')]);
    expect([await silent, await next]).toEqual([[{ isFound: false, ms: 8_000 }], [{ isFound: false, ms: 1_300 }]]);
    // The two loads succeeded in the meantime.
    pace.ms = 3_000;
    expect(await timeAll([cache.get('d')])).toEqual([{ isFound: true, ms: 3_000 }]);
  });

  test('is awaited for 1.3 s after a load failed', async () => {
    vi.useFakeTimers();
    const pace: { ms: number | null } = { ms: null };
    const cache = slowCache(pace);
    expect(await timeAll([cache.get('a')])).toEqual([{ isFound: false, ms: 0 }]);
    pace.ms = 3_000;
    expect(await timeAll([cache.get('a')])).toEqual([{ isFound: false, ms: 1_300 }]);
    expect(await timeAll([cache.get('b')])).toEqual([{ isFound: true, ms: 3_000 }]);
  });

  test('is awaited for 1.3 s by requests beyond the first 2,000', async () => {
    vi.useFakeTimers();
    const cache = slowCache({ ms: 3_000 });
    const found = await timeAll(Array.from({ length: 2_001 }, () => cache.get('a')));
    expect(found.filter(({ isFound }) => !isFound)).toEqual([{ isFound: false, ms: 1_300 }]);
    expect(found.at(-1)?.isFound).toBe(false);
  });

  test('is awaited for 8 s in total by a request that needs values of several caches', async () => {
    vi.useFakeTimers();
    const [policies, shares] = [slowCache({ ms: 5_000 }), slowCache({ ms: 5_000 })];
    const request = withRequestPatience(async () => {
      await policies.get('a');
      return shares.get('a');
    });
    expect(await timeAll([request])).toEqual([{ isFound: false, ms: 8_000 }]);
    // The load continued, and the cache does not count as down.
    expect(await timeAll([shares.get('a'), shares.get('b')])).toMatchObject([{ isFound: true }, { isFound: true }]);
    expect(await timeAll([shares.get('c')])).toEqual([{ isFound: true, ms: 5_000 }]);
  });
});
