import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { KnownViewers } from './known-viewers.ts';

const MINUTE_MS = 60_000;
const viewer = (changes: { libraryId?: number; clientKey?: string; userAgent?: string } = {}) => {
  const { libraryId = 1, clientKey = '192.0.2.1', userAgent = 'A' } = changes;
  // Only the header is read.
  return { libraryId, clientKey, message: { headers: { 'user-agent': userAgent } } as unknown as IncomingMessage };
};

test('a viewer plays until half an hour after the last request', () => {
  const viewers = new KnownViewers();
  expect(viewers.isPlaying(viewer(), 0)).toBe(false);
  viewers.see(viewer(), 0);
  viewers.see(viewer(), 20 * MINUTE_MS);
  expect(viewers.isPlaying(viewer(), 50 * MINUTE_MS - 1)).toBe(true);
  expect(viewers.isPlaying(viewer(), 50 * MINUTE_MS)).toBe(false);
});

test('a viewer of one library, address or browser is not one of another', () => {
  const viewers = new KnownViewers();
  viewers.see(viewer(), 0);
  const others = [viewer({ libraryId: 2 }), viewer({ clientKey: '192.0.2.2' }), viewer({ userAgent: 'B' })];
  expect(others.map((other) => viewers.isPlaying(other, 0))).toEqual([false, false, false]);
});

test('above 100,000 viewers, the one seen longest ago is forgotten', () => {
  const viewers = new KnownViewers();
  for (let each = 0; each < 100_000; each += 1) viewers.see(viewer({ clientKey: `${each}` }), 0);
  viewers.see(viewer({ clientKey: '0' }), 0);
  viewers.see(viewer({ clientKey: 'new' }), 0);
  const found = ['0', '1', '2', 'new'].map((clientKey) => viewers.isPlaying(viewer({ clientKey }), 0));
  expect(found).toEqual([true, false, true, true]);
});
