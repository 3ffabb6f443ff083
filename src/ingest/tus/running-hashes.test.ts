import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRunningHashes } from './running-hashes.ts';

test('chunks in order produce the hash of the whole file', () => {
  const hashes = createRunningHashes(10);
  let offset = 0;
  for (const piece of ['ab', 'cde', 'f']) {
    const running = hashes.take('a', offset);
    running?.hash.update(piece);
    offset += piece.length;
    if (running !== null) hashes.put('a', { ...running, offset });
  }
  const whole = createHash('sha256').update('abcdef').digest('hex');
  expect(hashes.take('a', 6)?.hash.digest('hex')).toBe(whole);
});

test('returns no hash for a chunk that does not start at the end of the previous one', () => {
  const hashes = createRunningHashes(10);
  hashes.put('a', { offset: 5, hash: createHash('sha256') });
  expect(hashes.take('a', 4)).toBeNull();
  expect(hashes.take('a', 5)).toBeNull();
});

test('drops the least recently used hash above the limit', () => {
  const hashes = createRunningHashes(2);
  for (const id of ['a', 'b', 'c']) hashes.put(id, { offset: 1, hash: createHash('sha256') });
  expect(['a', 'b', 'c'].map((id) => hashes.take(id, 1) !== null)).toEqual([false, true, true]);
});
