import { createSecretKey } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { hashPassword } from '../../catalog/people/password-hash.ts';
import type { Share } from '../../catalog/shares/share.ts';
import { newGuid } from '../../lib/guid.ts';
import { createSharePasswords } from './share-passwords.ts';

const PASSWORD = 'summer party';
const hash = await hashPassword(PASSWORD);
const makeShare = (change: Partial<Share> = {}): Share => ({
  id: newGuid(),
  libraryId: 1,
  target: { kind: 'video', mediaId: newGuid() },
  passwordHash: hash,
  emailDomains: [],
  allowsDownload: false,
  allowsComments: false,
  expiresAt: null,
  ...change,
});
const secretOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const passwords = () => createSharePasswords(() => [secretOf(1)]);
/** Returns a request with the cookie that a Set-Cookie header sets. */
const withCookie = (setCookie: string) =>
  ({ headers: { cookie: `other=1; ${setCookie.split(';')[0]}` } }) as IncomingMessage;
const NOW = 1_800_000_000_000;

test('accepts only the right password', async () => {
  const share = makeShare();
  const { check } = passwords();
  expect(await check(share, PASSWORD, 'a')).toBe('right');
  expect(await check(share, `${PASSWORD} `, 'a')).toBe('wrong');
  expect(await check(share, 'x'.repeat(5_000), 'a')).toBe('wrong');
});

test('accepts a password of emoji as long as the service allows', async () => {
  const password = '🎬'.repeat(150);
  expect(await passwords().check(makeShare({ passwordHash: await hashPassword(password) }), password, 'a')).toBe(
    'right',
  );
});

test('refuses an address after 20 wrong passwords, but not other addresses or shares', async () => {
  const share = makeShare();
  const { check } = passwords();
  // Too long to be a password, so nothing is hashed.
  for (let count = 0; count < 20; count += 1) expect(await check(share, 'x'.repeat(500), 'a')).toBe('wrong');
  expect(await check(share, PASSWORD, 'a')).toBe('limited');
  expect(await check(share, PASSWORD, 'b')).toBe('right');
  expect(await check(makeShare(), PASSWORD, 'a')).toBe('right');
});

test('refuses all addresses after 200 wrong passwords of a share', async () => {
  const share = makeShare();
  const { check } = passwords();
  for (let count = 0; count < 200; count += 1) await check(share, 'x'.repeat(500), `address ${count}`);
  expect(await check(share, PASSWORD, 'new')).toBe('limited');
});

test('right passwords do not count towards the limit', async () => {
  const share = makeShare();
  const { check } = passwords();
  for (let count = 0; count < 21; count += 1) expect(await check(share, PASSWORD, 'a')).toBe('right');
});

test('a pass grants access to one share until it expires or the password changes', async () => {
  const share = makeShare();
  const { writePass, holdsPass } = passwords();
  const cookie = writePass(share, '/share/x', { isSecure: true, nowMs: NOW });
  expect(cookie).toMatch(/; Path=\/share\/x; HttpOnly; SameSite=Lax; Max-Age=43200; Secure$/);
  const message = withCookie(cookie);
  expect(holdsPass(share, message, NOW)).toBe(true);
  expect(holdsPass(share, message, NOW + 43_200_000)).toBe(false);
  expect(holdsPass(makeShare(), message, NOW)).toBe(false);
  expect(holdsPass({ ...share, passwordHash: await hashPassword('another one') }, message, NOW)).toBe(false);
  const later = withCookie(cookie.replace(/=(\d+)\./, '=9999999999.'));
  expect(holdsPass(share, later, NOW)).toBe(false);
  expect(createSharePasswords(() => [secretOf(2)]).holdsPass(share, message, NOW)).toBe(false);
});

test('during a rotation, passes of both keys are valid, and new ones have the first key', () => {
  const share = makeShare();
  const cookieOf = ({ writePass }: ReturnType<typeof passwords>) =>
    withCookie(writePass(share, '/share/x', { isSecure: true, nowMs: NOW }));
  const both = createSharePasswords(() => [secretOf(2), secretOf(1)]);
  expect(both.holdsPass(share, cookieOf(passwords()), NOW)).toBe(true);
  const cookie = cookieOf(both);
  expect(createSharePasswords(() => [secretOf(2)]).holdsPass(share, cookie, NOW)).toBe(true);
  expect(passwords().holdsPass(share, cookie, NOW)).toBe(false);
});
