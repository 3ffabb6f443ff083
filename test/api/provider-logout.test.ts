import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENT } from '../support/identity-provider.ts';
import { browserHeaders, openProviderRoom, type ProviderRoom, sessionOf } from '../support/provider-room.ts';

let room: ProviderRoom;
beforeAll(async () => {
  room = await openProviderRoom();
  await room.configure({ DefaultRole: 'viewer' });
});
afterAll(() => room.stop());

const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const nowSec = () => Math.floor(Date.now() / 1000);
const claimsFor = (subject: string) => ({
  iss: room.provider.issuer,
  aud: CLIENT.id,
  sub: subject,
  iat: nowSec(),
  exp: nowSec() + 120,
  jti: randomUUID(),
  events: EVENT,
});
/** Signs in as a new account of the provider. Returns the session cookie. */
async function signIn(subject: string): Promise<string> {
  room.addAccount(subject);
  const session = sessionOf(await room.signIn(subject));
  expect(await statusOf(session)).toBe(200);
  return session;
}
const statusOf = async (session: string) =>
  (await room.service.call('GET', '/dashboard/session', { key: null, headers: { Cookie: session } })).status;
const send = (token: string, id = room.providerId) =>
  room.service.call('POST', `/dashboard/sign-in/${id}/logout`, {
    key: null,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': String(browserHeaders(room.service)['X-Forwarded-For']),
    },
    body: new URLSearchParams({ logout_token: token }).toString(),
  });

test('signing out at the provider ends the session that it opened, and its event stream', async () => {
  const [session, other] = [await signIn('ada'), await signIn('bob')];
  const stream = await fetch(`${room.service.url}/library/1/progress`, { headers: { Cookie: session } });
  expect(stream.status).toBe(200);
  const ended = stream.text();
  await room.provider.signOut('ada');
  expect(await statusOf(session)).toBe(401);
  // Fails by the time limit of the test if the stream stays open.
  expect(await ended).toContain('retry:');
  expect(await statusOf(other)).toBe(200);
});

test('a token with only a subject ends all sessions of the subject, and only those of the provider', async () => {
  const sessions = [await signIn('cy'), await signIn('cy')];
  const other = await signIn('dan');
  const answer = await send(await room.provider.sign(claimsFor('cy')));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  for (const session of sessions) expect(await statusOf(session)).toBe(401);
  expect(await statusOf(other)).toBe(200);
});

test('a logout token works once', async () => {
  await signIn('eve');
  const token = await room.provider.sign(claimsFor('eve'));
  expect((await send(token)).status).toBe(200);
  const session = await signIn('eve');
  expect((await send(token)).status).toBe(400);
  expect(await statusOf(session)).toBe(200);
});

test.each<[string, (right: Record<string, unknown>) => Record<string, unknown>]>([
  ['another issuer', (right) => ({ ...right, iss: 'https://evil.example' })],
  ['another audience', (right) => ({ ...right, aud: 'another client' })],
  ['no time of issue', ({ iat: _, ...right }) => right],
  ['an old time of issue', (right) => ({ ...right, iat: nowSec() - 600 })],
  ['a time of issue in the future', (right) => ({ ...right, iat: nowSec() + 600 })],
  ['an expired time', (right) => ({ ...right, exp: nowSec() - 120 })],
  ['no id', ({ jti: _, ...right }) => right],
  ['a nonce', (right) => ({ ...right, nonce: 'n' })],
  ['no event', ({ events: _, ...right }) => right],
  ['another event', (right) => ({ ...right, events: { 'http://example.com/event': {} } })],
  ['neither subject nor session', ({ sub: _, ...right }) => right],
  ['the session of somebody else', (right) => ({ ...right, sid: 'another session' })],
])('a logout token with %s ends no session', async (_what, change) => {
  const session = await signIn('fay');
  const { status } = await send(await room.provider.sign(change(claimsFor('fay'))));
  expect([200, 400]).toContain(status);
  expect(await statusOf(session)).toBe(200);
});

test('tokens with other keys and algorithms are refused', async () => {
  const session = await signIn('gus');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claims = () => claimsFor('gus');
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const tokens = [
    await room.provider.sign(claims(), {}, privateKey),
    await room.provider.sign(claims(), { kid: 'unknown' }, privateKey),
    await room.provider.sign(claims(), { typ: 'at+jwt' }),
    await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.secret)),
    `${encoded({ alg: 'none' })}.${encoded(claims())}.`,
    'not a token',
    '',
  ];
  for (const token of tokens) expect((await send(token)).status).toBe(400);
  expect((await send(await room.provider.sign(claims()), randomUUID())).status).toBe(404);
  expect(await statusOf(session)).toBe(200);
});
