import { expect, test } from 'vitest';
import { createFailureLimit } from './failure-limit.ts';

test('blocks only the address that sent ten wrong keys in a minute, until the minute ends', () => {
  let nowMs = 0;
  const limit = createFailureLimit(() => nowMs);
  for (let count = 0; count < 9; count += 1) limit.fail('192.0.2.1');
  expect(limit.isReached('192.0.2.1')).toBe(false);
  limit.fail('192.0.2.1');
  expect(limit.isReached('192.0.2.1')).toBe(true);
  expect(limit.isReached('192.0.2.2')).toBe(false);
  nowMs = 60_001;
  expect(limit.isReached('192.0.2.1')).toBe(false);
});

test('drops the oldest addresses first if there are too many', () => {
  const limit = createFailureLimit(() => 0);
  for (let count = 0; count < 10; count += 1) limit.fail('first');
  for (let count = 0; count < 10_000; count += 1) limit.fail(`other ${count}`);
  expect(limit.isReached('first')).toBe(false);
});
