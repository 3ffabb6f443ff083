import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLIENT } from '../support/identity-provider.ts';
import { browserHeaders, openProviderFixture, type ProviderFixture, sessionOf } from '../support/provider-fixture.ts';

let fixture: ProviderFixture;
beforeAll(async () => {
  fixture = await openProviderFixture();
  await fixture.configure({ DefaultRole: 'viewer' });
});
afterAll(() => fixture.stop());

const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const nowSec = () => Math.floor(Date.now() / 1000);
const claimsFor = (subject: string) => ({
  iss: fixture.provider.issuer,
  aud: CLIENT.id,
  sub: subject,
  iat: nowSec(),
  exp: nowSec() + 120,
  jti: randomUUID(),
  events: EVENT,
});
/** Signs in as a new account of the provider. Returns the session cookie. */
async function signIn(subject: string): Promise<string> {
  fixture.addAccount(subject);
  const session = sessionOf(await fixture.signIn(subject));
  expect(await statusOf(session)).toBe(200);
  return session;
}
const statusOf = async (session: string) =>
  (await fixture.service.call('GET', '/dashboard/session', { key: null, headers: { Cookie: session } })).status;
const newAddress = () => String(browserHeaders(fixture.service)['X-Forwarded-For']);
type SendOptions = { id?: string; address?: string };
const send = (token: string, { id = fixture.providerId, address = newAddress() }: SendOptions = {}) =>
  fixture.service.call('POST', `/dashboard/sign-in/${id}/logout`, {
    key: null,
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': address,
    },
    body: new URLSearchParams({ logout_token: token }).toString(),
  });

test('signing out at the provider ends the session that it opened, and its event stream', async () => {
  const [session, other] = [await signIn('ada'), await signIn('bob')];
  const stream = await fetch(`${fixture.service.url}/library/1/progress`, { headers: { Cookie: session } });
  expect(stream.status).toBe(200);
  const ended = stream.text();
  await fixture.provider.signOut('ada');
  expect(await statusOf(session)).toBe(401);
  // If the stream stays open, the test times out.
  expect(await ended).toContain('retry:');
  expect(await statusOf(other)).toBe(200);
});

test('a token with only a subject ends all sessions of the subject, and only those of the provider', async () => {
  const sessions = [await signIn('cy'), await signIn('cy')];
  const other = await signIn('dan');
  const answer = await send(await fixture.provider.sign(claimsFor('cy')));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  for (const session of sessions) expect(await statusOf(session)).toBe(401);
  expect(await statusOf(other)).toBe(200);
});

test('a logout token works once', async () => {
  await signIn('eve');
  const token = await fixture.provider.sign(claimsFor('eve'));
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
  ['an empty session and no subject', ({ sub: _, ...right }) => ({ ...right, sid: '' })],
  ['a session of 256 characters and no subject', ({ sub: _, ...right }) => ({ ...right, sid: 's'.repeat(256) })],
])('a logout token with %s is refused and ends no session', async (_what, change) => {
  const session = await signIn('fay');
  expect((await send(await fixture.provider.sign(change(claimsFor('fay'))))).status).toBe(400);
  expect(await statusOf(session)).toBe(200);
});

test('a logout token with another session of the subject is accepted and ends no other session', async () => {
  const session = await signIn('fay');
  const claims = { ...claimsFor('fay'), sid: 'another session' };
  expect((await send(await fixture.provider.sign(claims))).status).toBe(200);
  expect(await statusOf(session)).toBe(200);
});

test('a session of 256 characters counts as none, so that the token ends all sessions of the subject', async () => {
  for (const [length, status] of [
    [255, 200],
    [256, 401],
  ] as const) {
    const session = await signIn('hal');
    const claims = { ...claimsFor('hal'), sid: 's'.repeat(length) };
    expect((await send(await fixture.provider.sign(claims))).status).toBe(200);
    expect([length, await statusOf(session)]).toEqual([length, status]);
  }
});

test('limits wrong tokens per address to 1,000 a minute, and does not count valid ones', async () => {
  const address = newAddress();
  expect((await send(await fixture.provider.sign(claimsFor('ivy')), { address })).status).toBe(200);
  const counts = new Map<number, number>();
  for (let tries = 0; tries < 40; tries += 1) {
    const answers = await Promise.all(Array.from({ length: 25 }, () => send('not a token', { address })));
    for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  expect(Object.fromEntries(counts)).toEqual({ 400: 1_000 });
  expect((await send(await fixture.provider.sign(claimsFor('ivy')), { address })).status).toBe(429);
  expect((await send(await fixture.provider.sign(claimsFor('ivy')))).status).toBe(200);
});

test('without a password, credentials can be changed within ten minutes of the sign-in', async () => {
  const session = await signIn('jan');
  const { db } = fixture.service.database;
  const change = async (minutes: number) => {
    const age = sql`now() - make_interval(mins => ${minutes})`;
    await sql`update person_session set created_at = ${age} from person
      where person.id = person_id and email = 'jan@example.com'`.execute(db);
    const headers = browserHeaders(fixture.service, session);
    const path = '/dashboard/account/totp/remove';
    return fixture.service.call('POST', path, { key: null, headers, body: { current: '' } });
  };
  expect((await change(9)).status).toBe(204);
  const late = await change(11);
  expect(late.status).toBe(403);
  expect(late.text).toContain('You signed in more than 10 minutes ago.');
});

test('tokens with other keys and algorithms are refused', async () => {
  const session = await signIn('gus');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const claims = () => claimsFor('gus');
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const tokens = [
    await fixture.provider.sign(claims(), {}, privateKey),
    await fixture.provider.sign(claims(), { kid: 'unknown' }, privateKey),
    await fixture.provider.sign(claims(), { typ: 'at+jwt' }),
    await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.secret)),
    `${encoded({ alg: 'none' })}.${encoded(claims())}.`,
    'not a token',
    '',
  ];
  for (const token of tokens) expect((await send(token)).status).toBe(400);
  expect((await send(await fixture.provider.sign(claims()), { id: randomUUID() })).status).toBe(404);
  expect(await statusOf(session)).toBe(200);
});
