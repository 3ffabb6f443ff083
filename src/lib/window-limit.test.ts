import { expect, test } from 'vitest';
import { createWindowLimit } from './window-limit.ts';

test('blocks only the address that sent ten wrong keys in a minute, until the minute ends', () => {
  let nowMs = 0;
  const limit = createWindowLimit(() => nowMs);
  for (let count = 0; count < 9; count += 1) limit.count('192.0.2.1');
  expect(limit.isReached('192.0.2.1')).toBe(false);
  limit.count('192.0.2.1');
  expect(limit.isReached('192.0.2.1')).toBe(true);
  expect(limit.isReached('192.0.2.2')).toBe(false);
  nowMs = 60_001;
  expect(limit.isReached('192.0.2.1')).toBe(false);
});

test('drops the oldest addresses first if there are too many', () => {
  const limit = createWindowLimit(() => 0);
  for (let count = 0; count < 10; count += 1) limit.count('first');
  for (let count = 0; count < 10_000; count += 1) limit.count(`other ${count}`);
  expect(limit.isReached('first')).toBe(false);
});
