import { afterAll, beforeAll, expect, test } from 'vitest';
import { totpCode } from '../../src/catalog/people/totp.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { cookieOf, invite, join, PASSWORD, pageHeaders } from '../support/people.ts';

let service: TestApi;
beforeAll(async () => {
  service = await startTestApi({ trustedProxies: ['127.0.0.1/32'] });
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

const account = (method: string, path: string, body?: object) =>
  service.call(method, path, { key: service.first.accountKey, ...(body !== undefined && { body }) });
const asPage = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  service.call(method, path, { key: null, headers, ...(body !== undefined && { body }) });
let addresses = 0;
const nextAddress = () => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};
/** Signs in from a separate IP address, unless one is given. */
const signIn = (given: object, { from = nextAddress(), cookie }: { from?: string; cookie?: string } = {}) =>
  asPage('POST', '/dashboard/session', { ...pageHeaders(service, cookie), 'X-Forwarded-For': from }, given);

test('a person joins with an invitation, which works once, and signs in with a password', async () => {
  const { secret } = await invite(service, { Email: 'Ada@Example.com', Role: 'viewer' });
  const shown = await asPage('POST', '/dashboard/invitation', pageHeaders(service), { secret });
  expect(shown.body).toEqual({ email: 'Ada@Example.com', name: '' });
  const chosen = { secret, name: 'Ada', password: PASSWORD };
  expect((await asPage('POST', '/dashboard/join', pageHeaders(service), { ...chosen, password: 'short' })).status).toBe(
    400,
  );
  expect((await asPage('POST', '/dashboard/join', pageHeaders(service), chosen)).status).toBe(200);
  expect((await asPage('POST', '/dashboard/join', pageHeaders(service), chosen)).status).toBe(401);
  const answer = await signIn({ email: 'ada@example.com', password: PASSWORD });
  expect(answer.status).toBe(200);
  expect(Object(answer.body).person).toMatchObject({ email: 'Ada@Example.com', name: 'Ada', role: 'viewer' });
  expect((await signIn({ email: 'ada@example.com', password: `${PASSWORD}!` })).status).toBe(401);
  expect((await account('POST', '/people', { Email: 'ADA@example.com' })).status).toBe(409);
});

test('keys sign in as before, and no response contains a password or its hash', async () => {
  const { status, body } = await signIn({ key: service.first.libraryKey });
  expect(status).toBe(200);
  expect(body).toMatchObject({ role: 'editor', libraryId: 1, person: null });
  await join(service, { role: 'viewer', email: 'quiet@example.com' });
  expect((await account('GET', '/people')).text).not.toMatch(/argon2|password/i);
});

test('a second factor is required once it is set up, and each code works once', async () => {
  const person = await join(service, { role: 'editor', email: 'totp@example.com' });
  const { secret } = Object((await asPage('GET', '/dashboard/account/totp', person.headers)).body);
  const step = () => Math.floor(Date.now() / 30_000);
  const set = { current: PASSWORD, secret, code: totpCode(secret, step() - 1) };
  const wrong = { ...set, current: 'a wrong password' };
  expect((await asPage('POST', '/dashboard/account/totp', person.headers, wrong)).status).toBe(400);
  expect((await asPage('POST', '/dashboard/account/totp', person.headers, set)).status).toBe(204);
  const given = { email: person.email, password: PASSWORD };
  const first = await signIn(given);
  expect(first.body).toEqual({ needsCode: true });
  expect(first.headers.get('set-cookie')).toBeNull();
  const code = totpCode(secret, step());
  const both = await Promise.all([signIn({ ...given, code }), signIn({ ...given, code })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  const again = await asPage('POST', '/dashboard/account/totp/remove', person.headers, { current: PASSWORD });
  expect(again.status).toBe(204);
  expect((await signIn(given)).status).toBe(200);
});

test('sign-in replaces the session that the browser had, and never adopts an id chosen by others', async () => {
  const person = await join(service, { role: 'viewer', email: 'fixed@example.com' });
  const planted = `millrace=${'a'.repeat(64)}`;
  const answer = await signIn({ email: person.email, password: PASSWORD }, { cookie: planted });
  expect(cookieOf(answer)).not.toBe(planted);
  const before = String(person.headers.Cookie);
  const next = await signIn({ email: person.email, password: PASSWORD }, { cookie: before });
  expect(cookieOf(next)).not.toBe(before);
  expect((await asPage('GET', '/dashboard/session', { Cookie: before })).status).toBe(401);
  expect((await asPage('GET', '/dashboard/session', { Cookie: planted })).status).toBe(401);
});

test('refuses writes from pages of other sites in the session of a person', async () => {
  const { headers } = await join(service, { role: 'owner', email: 'csrf@example.com' });
  const cookie = String(headers.Cookie);
  const attempts: [string, string, object][] = [
    ['POST', '/dashboard/account', { name: 'x', language: null }],
    ['POST', '/dashboard/account/password', { current: PASSWORD, password: 'another long password' }],
    ['POST', '/dashboard/account/totp/remove', { current: PASSWORD }],
    ['POST', '/people', { Email: 'by-csrf@example.com', Role: 'owner' }],
    ['POST', '/dashboard/join', { secret: 'x', name: 'x', password: PASSWORD }],
    ['POST', '/dashboard/session', { email: 'csrf@example.com', password: PASSWORD }],
  ];
  for (const [method, path, body] of attempts) {
    for (const page of [{}, { Origin: 'https://evil.example' }, { Origin: service.url }]) {
      expect((await asPage(method, path, { Cookie: cookie, ...page }, body)).status, path).toBe(403);
    }
  }
  expect((await asPage('DELETE', '/dashboard/account/sessions', { Cookie: cookie })).status).toBe(403);
});

test('password spraying is limited by address and by account, but not for a valid session or key', async () => {
  const victim = await join(service, { role: 'viewer', email: 'victim@example.com' });
  const spray = [];
  for (let count = 0; count < 12; count += 1) {
    const given = { email: `person-${count}@example.com`, password: 'Summer2026!' };
    spray.push((await signIn(given, { from: '203.0.113.7' })).status);
  }
  expect(spray).toEqual([...Array(10).fill(401), 429, 429]);
  expect((await signIn({ key: service.first.libraryKey }, { from: '203.0.113.7' })).status).toBe(200);
  const guesses = [];
  for (let count = 0; count < 11; count += 1) {
    guesses.push((await signIn({ email: victim.email, password: `guess number ${count}` })).status);
  }
  expect(guesses).toEqual([...Array(10).fill(401), 429]);
  const right = { email: victim.email, password: PASSWORD };
  expect((await signIn(right)).status).toBe(429);
  expect((await asPage('GET', '/dashboard/session', victim.headers)).status).toBe(200);
  const cookie = String(victim.headers.Cookie);
  expect((await signIn(right, { cookie })).status).toBe(200);
});

test('the cookie of a person does not allow unlimited guesses of their password', async () => {
  const { email, headers } = await join(service, { role: 'viewer', email: 'stolen@example.com' });
  const guesses = [];
  for (let count = 0; count < 11; count += 1) {
    const given = { email, password: `guess number ${count}` };
    guesses.push((await signIn(given, { cookie: String(headers.Cookie) })).status);
  }
  expect(guesses).toEqual([...Array(10).fill(401), 429]);
});

test('an earlier invitation of a person who becomes an owner no longer works', async () => {
  const { id, secret } = await invite(service, { Email: 'promoted@example.com', Role: 'viewer' });
  expect((await account('POST', `/people/${id}`, { Role: 'owner' })).status).toBe(200);
  expect((await asPage('POST', '/dashboard/invitation', pageHeaders(service), { secret })).status).toBe(401);
});

test('simultaneous guesses do not exceed the limit of an account', async () => {
  const { email } = await join(service, { role: 'viewer', email: 'parallel@example.com' });
  const guesses = Array.from({ length: 20 }, (_, count) => signIn({ email, password: `guess number ${count}` }));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
});

test('the last active owner cannot be deleted, demoted or disabled, even by two simultaneous requests', async () => {
  const own = await startTestApi();
  try {
    const call = (method: string, path: string, body?: object) =>
      own.call(method, path, { key: own.first.accountKey, ...(body !== undefined && { body }) });
    const first = await join(own, { role: 'owner', email: 'first@example.com' });
    for (const body of [{ Role: 'admin' }, { Role: null }, { Status: 'disabled' }]) {
      expect((await call('POST', `/people/${first.id}`, body)).status).toBe(409);
    }
    expect((await call('DELETE', `/people/${first.id}`)).status).toBe(409);
    await invite(own, { Email: 'only-invited@example.com', Role: 'owner' });
    expect((await call('DELETE', `/people/${first.id}`)).status).toBe(409);
    const second = await join(own, { role: 'owner', email: 'second@example.com' });
    const both = await Promise.all([first, second].map(({ id }) => call('POST', `/people/${id}`, { Role: 'admin' })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  } finally {
    await own.stop();
  }
});

test('an administrator cannot create, change, reset or remove an owner, nor become one', async () => {
  const owner = await join(service, { role: 'owner', email: 'boss@example.com' });
  const admin = await join(service, { role: 'admin', email: 'admin@example.com' });
  const as = (method: string, path: string, body?: object) => asPage(method, path, admin.headers, body);
  const answers = [
    await as('POST', '/people', { Email: 'new-owner@example.com', Role: 'owner' }),
    await as('POST', '/people', { Email: 'x@example.com', LibraryRoles: [{ LibraryId: 1, Role: 'owner' }] }),
    await as('POST', `/people/${admin.id}`, { Role: 'owner' }),
    await as('POST', `/people/${owner.id}`, { Role: 'viewer' }),
    await as('POST', `/people/${owner.id}/invitation`),
    await as('DELETE', `/people/${owner.id}/sessions`),
    await as('DELETE', `/people/${owner.id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(403));
  expect((await as('POST', '/people', { Email: 'colleague@example.com', Role: 'editor' })).status).toBe(201);
});

test('a role in a library shows only that library, and its keys only to administrators', async () => {
  const libraries = [{ LibraryId: 1, Role: 'viewer' as const }];
  const viewer = await join(service, { libraries, email: 'one-library@example.com' });
  const list = Object((await asPage('GET', '/videolibrary', viewer.headers)).body);
  expect(list.map(({ Id, ApiKey }: { Id: number; ApiKey: unknown }) => [Id, ApiKey])).toEqual([[1, null]]);
  await account('POST', `/people/${viewer.id}`, { LibraryRoles: [{ LibraryId: 1, Role: 'admin' }] });
  const [library] = Object((await asPage('GET', '/videolibrary', viewer.headers)).body);
  expect(library.ApiKey).toBe(service.first.libraryKey);
  expect((await asPage('GET', `/library/${service.second.id}/videos`, viewer.headers)).status).toBe(403);
  expect((await asPage('GET', '/library/999999/videos', viewer.headers)).status).toBe(403);
});

test('the audit log names the person with their role', async () => {
  const editor = await join(service, { role: 'editor', email: 'writer@example.com' });
  await asPage('POST', '/library/1/collections', editor.headers, { name: 'New' });
  const { Items } = Object((await account('GET', '/videolibrary/1/audit')).body);
  expect(Items[0]).toMatchObject({
    Key: `${editor.id} writer@example.com`,
    Scope: 'editor',
    Operation: 'createCollection',
  });
});

test('people list and end their sessions, and a new password ends all others', async () => {
  const person = await join(service, { role: 'viewer', email: 'sessions@example.com' });
  const other = await signIn({ email: person.email, password: PASSWORD });
  const list = async () => Object((await asPage('GET', '/dashboard/account/sessions', person.headers)).body);
  expect(await list()).toHaveLength(2);
  const otherId = Object(other.body).person.sessionId;
  await asPage('DELETE', `/dashboard/account/sessions/${otherId}`, person.headers);
  expect((await list()).map(({ Id }: { Id: string }) => Id)).toEqual([person.sessionId]);
  const third = await signIn({ email: person.email, password: PASSWORD });
  const chosen = { current: PASSWORD, password: 'another long password' };
  const changed = await asPage('POST', '/dashboard/account/password', person.headers, chosen);
  expect(changed.status).toBe(200);
  for (const cookie of [cookieOf(third), String(person.headers.Cookie)]) {
    expect((await asPage('GET', '/dashboard/session', { Cookie: cookie })).status).toBe(401);
  }
  expect((await asPage('GET', '/dashboard/session', { Cookie: cookieOf(changed) })).status).toBe(200);
});

test('a person cannot end the session of another person', async () => {
  const [one, two] = [
    await join(service, { role: 'viewer', email: 'one@example.com' }),
    await join(service, { role: 'viewer', email: 'two@example.com' }),
  ];
  await asPage('DELETE', `/dashboard/account/sessions/${two.sessionId}`, one.headers);
  expect((await asPage('GET', '/dashboard/session', two.headers)).status).toBe(200);
});

test.each([
  ['is disabled', (id: string) => account('POST', `/people/${id}`, { Status: 'disabled' })],
  ['is deleted', (id: string) => account('DELETE', `/people/${id}`)],
  ['loses the role', (id: string) => account('POST', `/people/${id}`, { Role: null })],
  ['is signed out', (id: string) => account('DELETE', `/people/${id}/sessions`)],
])('the event stream of a person who %s ends', async (what, end) => {
  const person = await join(service, { role: 'viewer', email: `${what.replaceAll(' ', '-')}@example.com` });
  const response = await fetch(`${service.url}/library/1/progress`, { headers: person.headers });
  expect(response.status).toBe(200);
  const ended = response.text();
  await end(person.id);
  // If the stream stays open, the test times out.
  expect(await ended).toContain('retry:');
});

test('a disabled person can neither sign in nor sign an upload, and the open session ends', async () => {
  const uploader = await join(service, { role: 'uploader', email: 'uploader@example.com' });
  const made = await asPage('POST', '/library/1/videos', uploader.headers, { title: 'New' });
  const path = `/dashboard/libraries/1/videos/${Object(made.body).guid}/upload-signature`;
  const signed = await asPage('POST', path, uploader.headers);
  expect(signed.body).toMatchObject({ AuthorizationSession: uploader.sessionId });
  await account('POST', `/people/${uploader.id}`, { Status: 'disabled' });
  expect((await asPage('POST', path, uploader.headers)).status).toBe(401);
  expect((await signIn({ email: uploader.email, password: PASSWORD })).status).toBe(401);
  expect((await account('POST', `/people/${uploader.id}/invitation`)).status).toBe(400);
  await account('POST', `/people/${uploader.id}`, { Status: 'active' });
  expect((await signIn({ email: uploader.email, password: PASSWORD })).status).toBe(200);
});

test('sign-in and invitations never redirect, whatever the URL requests', async () => {
  const { email } = await join(service, { role: 'viewer', email: 'redirect@example.com' });
  const { secret } = await invite(service, { Email: 'redirect-too@example.com', Role: 'viewer' });
  const query = '?next=https://evil.example/&redirect=//evil.example';
  const answers = [
    await asPage('POST', `/dashboard/session${query}`, pageHeaders(service), { email, password: PASSWORD }),
    await asPage('POST', `/dashboard/join${query}`, pageHeaders(service), { secret, name: '', password: PASSWORD }),
  ];
  expect(answers.map(({ status, headers }) => [status, headers.get('location')])).toEqual([
    [200, null],
    [200, null],
  ]);
});
