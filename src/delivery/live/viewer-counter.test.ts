import { expect, test } from 'vitest';
import { ViewerCounter } from './viewer-counter.ts';

test('counts a viewer once however often it requests, and no longer after it leaves', () => {
  const counter = new ViewerCounter();
  for (const atMs of [0, 1_000, 2_000]) counter.seen('one', atMs);
  counter.seen('two', 10_000);
  expect(counter.count(12_000)).toBe(2);
  expect(counter.count(18_000)).toBe(1);
  expect(counter.count(40_000)).toBe(0);
});
