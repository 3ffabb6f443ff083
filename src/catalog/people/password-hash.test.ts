import { expect, test } from 'vitest';
import { hashPassword, hasPassword, requireGoodPassword } from './password-hash.ts';

test('a hash matches only its password, in either Unicode form, and contains its cost parameters', async () => {
  const hash = await hashPassword('Zürich is a café town');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await hasPassword('Zürich is a café town', hash)).toBe(true);
  expect(await hasPassword('zürich is a café town', hash)).toBe(false);
  expect(await hasPassword('', hash)).toBe(false);
  expect(await hasPassword('Zürich is a café town', null)).toBe(false);
  expect(await hashPassword('Zürich is a café town')).not.toBe(hash);
});

test('rejects hashes when the queue is full, and computes all others', async () => {
  const results = await Promise.allSettled(Array.from({ length: 60 }, () => hashPassword('a long password')));
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(8);
  expect(await hashPassword('a long password')).toContain('argon2id');
});

test.each([
  ['short', 'eleven char'],
  ['long', 'ab cd'.repeat(41)],
  ['repetitive', 'abababababababab'],
  ['the e-mail address', 'Ada.Lovelace@example.com'],
])('refuses a password that is %s', (_, password) => {
  expect(() => requireGoodPassword(password, 'ada.lovelace@example.com')).toThrow();
});
