import { expect, test } from 'vitest';
import type { SecretKeys } from './secret-box.ts';
import { SecretRing } from './secret-ring.ts';

const key = (byte: number) => Buffer.alloc(32, byte);
const [OLD, NEW] = [key(1), key(2)];

test.each<[string, SecretKeys[], number[][]]>([
  ['one key', [[OLD]], [[1]]],
  ['a rotation', [[OLD], [OLD, NEW], [NEW, OLD], [NEW]], [[1], [1, 2], [2, 1], [2]]],
])('derived secrets follow the keys: %s', (_, steps, expected) => {
  const ring = new SecretRing(key(9));
  const secrets = ring.derive((one) => one[0]);
  expect(secrets()).toEqual([9]);
  const derived = steps.map((keys) => {
    ring.replace(keys);
    return secrets();
  });
  expect(derived).toEqual(expected);
});

test('the box seals with the first key and opens with every key', () => {
  const ring = new SecretRing(OLD);
  const before = ring.box.seal('text');
  ring.replace([NEW, OLD]);
  const after = ring.box.seal('text');
  expect([before, after].map((sealed) => ring.box.open(sealed))).toEqual(['text', 'text']);
  ring.replace([NEW]);
  expect(ring.box.open(after)).toBe('text');
  expect(() => ring.box.open(before)).toThrow('sealed with another key');
});

test('a secret is derived once per key', () => {
  const ring = new SecretRing(OLD, NEW);
  let count = 0;
  const secrets = ring.derive(() => {
    count += 1;
    return count;
  });
  expect([secrets(), secrets()]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});
