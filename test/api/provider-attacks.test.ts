import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import type { IdentityProvider } from '../support/identity-provider.ts';
import { join, PASSWORD, pageHeaders } from '../support/people.ts';
import {
  browserHeaders,
  finish,
  openProviderFixture,
  type ProviderFixture,
  sessionOf,
} from '../support/provider-fixture.ts';

let fixture: ProviderFixture;
let service: TestApi;
let provider: IdentityProvider;
let providerId: string;
beforeAll(async () => {
  fixture = await openProviderFixture();
  ({ service, provider, providerId } = fixture);
});
afterEach(() => fixture.reset());
afterAll(() => fixture.stop());

test('a callback works once, and only in the browser that started the sign-in', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('once');
  const { started } = await fixture.start();
  const callback = await provider.signIn(started.address, 'once');
  expect((await finish(callback, { cookie: '', headers: browserHeaders(service) })).location).toBe('/?sign-in=expired');
  const other = (await fixture.start()).started;
  expect((await finish(callback, other)).location).toBe('/?sign-in=expired');
  const first = await finish(callback, started);
  await fixture.personOf(first);
  expect(first.cookies.join()).toContain('millrace-sign-in=; ');
  const again = await finish(callback, started);
  expect(again.location).toBe('/?sign-in=invalid');
  expect(sessionOf(again)).toBe('');
});

test('simultaneous callbacks of one sign-in open exactly one session', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('twice');
  // Only the service can refuse the second callback.
  provider.codes.isReusable = true;
  const { started } = await fixture.start();
  const callback = await provider.signIn(started.address, 'twice');
  const both = await Promise.all([finish(callback, started), finish(callback, started)]);
  expect(new Set(both.map(({ location }) => location))).toEqual(new Set(['/', '/?sign-in=expired']));
  expect(both.filter((finished) => sessionOf(finished) !== '')).toHaveLength(1);
});

test('a wrong nonce, a wrong code verifier, and a foreign code are refused', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('target');
  for (const [name, value] of [
    ['nonce', 'n'.repeat(43)],
    ['code_challenge', 'c'.repeat(43)],
  ] as const) {
    const { started } = await fixture.start();
    const changed = new URL(started.address);
    changed.searchParams.set(name, value);
    const callback = await provider.signIn(changed.href, 'target');
    expect((await finish(callback, started)).location, name).toBe('/?sign-in=invalid');
  }
  const [attacker, victim] = [(await fixture.start()).started, (await fixture.start()).started];
  const own = new URL(await provider.signIn(attacker.address, 'target'));
  own.searchParams.set('state', new URL(victim.address).searchParams.get('state') ?? '');
  expect((await finish(own.href, victim)).location).toBe('/?sign-in=invalid');
});

test('a changed or expired cookie is refused', async () => {
  fixture.addAccount('cookie');
  const { started } = await fixture.start();
  const callback = await provider.signIn(started.address, 'cookie');
  const changed = started.cookie.slice(0, -2) + (started.cookie.endsWith('AA') ? 'BB' : 'AA');
  expect((await finish(callback, { ...started, cookie: changed })).location).toBe('/?sign-in=expired');
  const [, value = ''] = started.cookie.split('=');
  const attempt = JSON.parse(service.secretBox.open(Buffer.from(value, 'base64url')));
  const reseal = (more: object) =>
    service.secretBox.seal(JSON.stringify({ ...attempt, ...more })).toString('base64url');
  const sealed = reseal({ expiresMs: Date.now() - 1 });
  const old = await finish(callback, { ...started, cookie: `millrace-sign-in=${sealed}` });
  expect(old.location).toBe('/?sign-in=expired');
  // The same cookie is accepted before its end.
  await fixture.configure({ DefaultRole: 'viewer' });
  await fixture.personOf(await finish(callback, { ...started, cookie: `millrace-sign-in=${reseal({})}` }));
});

test('accepts a provider whose clock is almost a minute behind', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('clock');
  // ID tokens are valid for 20 s.
  provider.clock.offsetMs = -50_000;
  await fixture.personOf(await fixture.signIn('clock'));
  // This token expired 70 s ago.
  provider.clock.offsetMs = -90_000;
  expect((await fixture.signIn('clock')).location).toBe('/?sign-in=invalid');
});

test('reports a cancelled sign-in with its own reason', async () => {
  const { started } = await fixture.start();
  expect((await finish(await provider.refuse(started.address), started)).location).toBe('/?sign-in=denied');
});

test('a sign-in fails at its start if the provider is down, unknown or a different issuer', async () => {
  const other = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({ issuer: 'https://id.example.com', authorization_endpoint: 'https://id.example.com' }),
    );
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const { Id } = await fixture.addProvider({ Issuer: issuer });
  const wrong = await fixture.start({ id: Id });
  expect([wrong.answer.status, wrong.answer.text]).toEqual([503, expect.stringContaining('cannot be used')]);
  // openid-client does not compare the issuer of such a URL, nor that of /common/ of Entra ID.
  const direct = await fixture.addProvider({ Issuer: `${issuer}/.well-known/openid-configuration` });
  const foreign = await fixture.start({ id: direct.Id });
  expect([foreign.answer.status, foreign.answer.text]).toEqual([503, expect.stringContaining('Expected the issuer')]);
  await new Promise((resolve) => other.close(resolve));
  const down = await fixture.start({ id: Id });
  expect([down.answer.status, down.answer.text]).toEqual([503, expect.stringContaining('cannot be used')]);
  expect((await fixture.account('DELETE', `/sign-in-providers/${Id}`)).status).toBe(204);
  expect((await fixture.start({ id: Id })).answer.status).toBe(404);
  expect((await fixture.start({ id: 'x' })).answer.status).toBe(404);
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/dashboard/..//evil.example',
  'javascript:1',
])('a sign-in that asks to return to %s leads to the dashboard', async (returnTo) => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('returning');
  expect((await fixture.signIn('returning', { returnTo })).location).toBe('/');
});

test('a sign-in gets a new session id, and ends the session that the browser had', async () => {
  const before = await join(service, { role: 'viewer', email: 'fixed@example.com' });
  fixture.addAccount('fixed');
  const finished = await fixture.signIn('fixed', { cookie: String(before.headers.Cookie) });
  expect(sessionOf(finished)).not.toBe(before.headers.Cookie);
  expect(await fixture.personOf(finished)).toMatchObject({ id: before.id });
  const old = await service.call('GET', '/dashboard/session', { key: null, headers: before.headers });
  expect(old.status).toBe(401);
  const planted = `millrace=${'a'.repeat(64)}`;
  const { started } = await fixture.start({ cookie: planted });
  const callback = await provider.signIn(started.address, 'fixed');
  const next = await finish(callback, { ...started, cookie: `${started.cookie}; ${planted}` });
  await fixture.personOf(next);
  expect(sessionOf(next)).not.toBe(planted);
  const tried = await service.call('GET', '/dashboard/session', { key: null, headers: { Cookie: planted } });
  expect(tried.status).toBe(401);
});

test('another page cannot start a sign-in', async () => {
  for (const headers of [{}, { Origin: 'https://evil.example', 'X-Millrace-Dashboard': '1' }]) {
    const sent = { key: null, headers, body: { returnTo: '/' } };
    expect((await service.call('POST', `/dashboard/sign-in/${providerId}`, sent)).status).toBe(403);
  }
});

test('failed sign-ins are limited by address, and a signed-in person is not affected', async () => {
  const person = await join(service, { role: 'viewer', email: 'calm@example.com' });
  const from = { 'X-Forwarded-For': '203.0.113.9' };
  const started = [];
  for (let count = 0; count < 11; count += 1) started.push((await fixture.start()).started);
  const locations = [];
  for (const { address, cookie } of started) {
    const { searchParams } = new URL(address);
    const callback = `${searchParams.get('redirect_uri')}?code=guess&state=${searchParams.get('state')}`;
    locations.push((await finish(callback, { cookie, headers: from })).location);
  }
  expect(locations).toEqual([...Array(10).fill('/?sign-in=invalid'), '/?sign-in=busy']);
  const headers = { ...pageHeaders(service), ...from };
  const next = { key: null, headers, body: { returnTo: '/' } };
  expect((await service.call('POST', `/dashboard/sign-in/${providerId}`, next)).status).toBe(429);
  const own = { key: null, headers: { ...person.headers, ...from } };
  expect((await service.call('GET', '/dashboard/session', own)).status).toBe(200);
  const body = { email: person.email, password: PASSWORD };
  expect((await service.call('POST', '/dashboard/session', { key: null, headers, body })).status).toBe(200);
});

test('a page that sends a browser to the callback neither ends its sign-in nor blocks its address', async () => {
  await fixture.configure({ DefaultRole: 'viewer' });
  fixture.addAccount('lured');
  const { started } = await fixture.start();
  const lure = `${service.url}/dashboard/sign-in/${providerId}/callback?code=x&state=y`;
  for (let count = 0; count < 12; count += 1) {
    const finished = await finish(lure, started);
    expect(finished).toMatchObject({ location: '/?sign-in=expired', cookies: [] });
  }
  await fixture.personOf(await finish(await provider.signIn(started.address, 'lured'), started));
});
