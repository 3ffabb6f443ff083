import { expect, test } from 'vitest';
import { findTotpStep, newTotpSecret, totpAddress, totpCode } from './totp.ts';

/** The secret `12345678901234567890` of RFC 6238 appendix B in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at %d s is that of RFC 6238 appendix B', (sec, code) => {
  expect(totpCode(SECRET, Math.floor(sec / 30))).toBe(code);
});

test('accepts one step of clock difference, and no code twice', () => {
  const find = (step: number, lastStep: number | null) =>
    findTotpStep({ secret: SECRET, code: totpCode(SECRET, step), lastStep }, 1_000 * 30_000);
  expect([998, 999, 1_000, 1_001, 1_002].map((step) => find(step, null))).toEqual([null, 999, 1_000, 1_001, null]);
  expect([999, 1_000, 1_001].map((step) => find(step, 1_000))).toEqual([null, null, 1_001]);
  expect(findTotpStep({ secret: SECRET, code: '', lastStep: null })).toBeNull();
});

test('secrets have 160 random bits, and the URL for authenticator apps contains the e-mail address', () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(newTotpSecret());
  expect(totpAddress(SECRET, 'a b@example.com')).toContain('otpauth://totp/Millrace%3Aa%20b%40example.com?secret=');
});
