import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../support/api.ts';
import { type Assertion, type Authenticator, createAuthenticator, type Forgery } from '../support/authenticator.ts';
import { join, PASSWORD, pageHeaders, type TestPerson } from '../support/people.ts';

const ORIGIN = 'https://video.example.com';
const STREAM_END_MS = 2_000;

let service: TestApi;
beforeAll(async () => {
  service = await startTestApi({ publicUrl: ORIGIN, trustedProxies: ['127.0.0.1/32'] });
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

let count = 0;
/** Headers of a dashboard page in a browser with a unique address. */
const browser = (cookie?: string): Record<string, string> => {
  count += 1;
  return { ...pageHeaders({ url: ORIGIN }, cookie), 'X-Forwarded-For': `198.51.100.${count}` };
};
const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  service.call(method, path, { key: null, headers, ...(body !== undefined && { body }) });
const cookiesOf = ({ headers }: Answer) => headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
const sessionOf = (answer: Answer) => cookiesOf(answer).find((cookie) => /^__Host-millrace=./.test(cookie)) ?? '';
const withCookie = (headers: Record<string, string>, answer: Answer) => ({
  ...headers,
  Cookie: [headers.Cookie, ...cookiesOf(answer)].filter((cookie) => cookie !== undefined).join('; '),
});

/** Creates a person who is signed in at the public URL. */
async function newPerson(email: string): Promise<TestPerson> {
  const person = await join(service, { role: 'editor', email });
  return { ...person, headers: browser(person.headers.Cookie) };
}

async function beginAdding(person: TestPerson, current = PASSWORD) {
  const answer = await send('POST', '/dashboard/account/passkeys/options', person.headers, { current });
  return { answer, options: Object(answer.body), headers: withCookie(person.headers, answer) };
}

async function addPasskey(person: TestPerson, forgery: Forgery = {}, name = 'Phone') {
  const authenticator = createAuthenticator();
  const { answer, options, headers } = await beginAdding(person);
  expect(answer.status, answer.text).toBe(200);
  const body = { name, ...authenticator.register(options, ORIGIN, forgery) };
  const added = await send('POST', '/dashboard/account/passkeys', headers, body);
  return { authenticator, added, sent: { headers, body } };
}

async function begin(headers = browser()) {
  const answer = await send('POST', '/dashboard/passkey/options', headers, {});
  expect(answer.status, answer.text).toBe(200);
  return { options: Object(answer.body), headers: withCookie(headers, answer) };
}

async function signIn(authenticator: Authenticator, forgery: Forgery = {}) {
  const { options, headers } = await begin();
  const assertion = authenticator.sign(options, ORIGIN, forgery);
  return { answer: await finish(assertion, headers), assertion, headers };
}

const finish = (assertion: Assertion, headers: Record<string, string>) =>
  send('POST', '/dashboard/passkey', headers, assertion);

test('a person adds several passkeys, and signs in with each of them without password and code', async () => {
  const person = await newPerson('ada@example.com');
  const phone = await addPasskey(person);
  expect(phone.added.status, phone.added.text).toBe(204);
  const laptop = await addPasskey(person, {}, '');
  for (const { authenticator } of [phone, laptop]) {
    const { answer } = await signIn(authenticator);
    expect(answer.status, answer.text).toBe(200);
    expect(Object(answer.body).person).toMatchObject({ email: 'ada@example.com', role: 'editor' });
    const headers = browser(sessionOf(answer));
    expect((await send('GET', '/dashboard/session', headers)).status).toBe(200);
  }
  const { body } = await send('GET', '/dashboard/account/passkeys', person.headers);
  expect(body).toEqual([
    {
      id: expect.any(String),
      name: 'Phone',
      isBackedUp: false,
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
    },
    expect.objectContaining({ name: 'Unknown browser', lastUsedAt: expect.any(String) }),
  ]);
});

test('adding and removing a passkey needs the password', async () => {
  const person = await newPerson('careful@example.com');
  expect((await beginAdding(person, 'a wrong password')).answer.status).toBe(400);
  await addPasskey(person);
  const [{ id }] = Object((await send('GET', '/dashboard/account/passkeys', person.headers)).body);
  const path = `/dashboard/account/passkeys/${id}`;
  expect((await send('POST', `${path}/remove`, person.headers, { current: 'wrong' })).status).toBe(400);
  expect((await send('POST', path, person.headers, { name: 'Key ring' })).status).toBe(204);
  const other = await newPerson('other@example.com');
  expect((await send('POST', path, other.headers, { name: 'Stolen' })).status).toBe(404);
  expect((await send('POST', `${path}/remove`, other.headers, { current: PASSWORD })).status).toBe(204);
  expect((await send('GET', '/dashboard/account/passkeys', person.headers)).body).toMatchObject([{ name: 'Key ring' }]);
});

test.each<[string, Forgery]>([
  ['another origin', { origin: 'https://evil.example' }],
  ['the same host without TLS', { origin: 'http://video.example.com' }],
  ['another host name', { rpId: 'evil.example' }],
  ['another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
  ['no check of the person', { isVerified: false }],
  ['the type of a sign-in', { type: 'webauthn.get' }],
  ['the id of another credential', { id: Buffer.alloc(32, 2).toString('base64url') }],
])('refuses a new passkey with %s', async (_what, forgery) => {
  const person = await newPerson(`new-${count}@example.com`);
  expect((await addPasskey(person, forgery)).added.status).toBe(400);
  expect((await send('GET', '/dashboard/account/passkeys', person.headers)).body).toEqual([]);
});

test('a challenge adds one passkey, only in the session for which it was made', async () => {
  const person = await newPerson('once@example.com');
  const { sent } = await addPasskey(person);
  expect((await send('POST', '/dashboard/account/passkeys', sent.headers, sent.body)).status).toBe(400);
  const victim = await newPerson('victim@example.com');
  const { options, headers } = await beginAdding(person);
  const body = { name: 'Mine', ...createAuthenticator().register(options, ORIGIN) };
  const challenge = String(headers.Cookie).split('; ').at(-1);
  const planted = { ...victim.headers, Cookie: `${victim.headers.Cookie}; ${challenge}` };
  expect((await send('POST', '/dashboard/account/passkeys', planted, body)).status).toBe(400);
  expect((await send('GET', '/dashboard/account/passkeys', victim.headers)).body).toEqual([]);
});

test('a passkey of one person cannot be added by another', async () => {
  const [person, thief] = [await newPerson('first@example.com'), await newPerson('thief@example.com')];
  const { authenticator } = await addPasskey(person);
  const { options, headers } = await beginAdding(thief);
  const body = { name: 'Theirs', ...authenticator.register(options, ORIGIN) };
  expect((await send('POST', '/dashboard/account/passkeys', headers, body)).status).toBe(400);
});

test.each<[string, Forgery]>([
  ['another origin', { origin: 'https://evil.example' }],
  ['a subdomain', { origin: 'https://a.video.example.com', rpId: 'video.example.com' }],
  ['another host name', { rpId: 'evil.example' }],
  ['another challenge', { challenge: Buffer.alloc(32, 1).toString('base64url') }],
  ['no check of the person', { isVerified: false }],
  ['the type of a registration', { type: 'webauthn.create' }],
  ['a frame of another site', { topOrigin: 'https://evil.example' }],
  ['a counter that did not increase', { counter: 5 }],
  ['another person', { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
  ['an unknown credential', { id: Buffer.alloc(32, 2).toString('base64url') }],
])('refuses a sign-in with %s', async (_what, forgery) => {
  const { authenticator } = await addPasskey(await newPerson(`in-${count}@example.com`));
  expect((await signIn(authenticator, { counter: 5 })).answer.status).toBe(200);
  const { answer } = await signIn(authenticator, { counter: 6, ...forgery });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ Message: expect.stringContaining('This passkey cannot sign in here.') });
  expect(sessionOf(answer)).toBe('');
});

test('refuses a replayed sign-in, a challenge of another browser, and one of another purpose', async () => {
  const person = await newPerson('replayed@example.com');
  const { authenticator } = await addPasskey(person);
  const { answer, assertion, headers } = await signIn(authenticator, { counter: 0 });
  expect(answer.status).toBe(200);
  expect((await finish(assertion, headers)).status).toBe(400);
  const stolen = await begin();
  expect((await finish(authenticator.sign(stolen.options, ORIGIN), browser())).status).toBe(400);
  expect((await finish(authenticator.sign(stolen.options, ORIGIN), (await begin()).headers)).status).toBe(401);
  const adding = await beginAdding(person);
  expect((await finish(authenticator.sign(adding.options, ORIGIN), adding.headers)).status).toBe(400);
});

test('two simultaneous uses of one challenge open one session', async () => {
  const { authenticator } = await addPasskey(await newPerson('twice@example.com'));
  const { options, headers } = await begin();
  const signed = [authenticator.sign(options, ORIGIN), authenticator.sign(options, ORIGIN)];
  const answers = await Promise.all(signed.map((assertion) => finish(assertion, headers)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a disabled person cannot sign in, and a new link removes the passkeys', async () => {
  const person = await newPerson('leaving@example.com');
  const { authenticator } = await addPasskey(person);
  const account = (path: string, body: object) =>
    service.call('POST', `/people/${person.id}${path}`, { key: service.first.accountKey, body });
  expect((await account('', { Status: 'disabled' })).status).toBe(200);
  expect((await signIn(authenticator)).answer.status).toBe(401);
  await account('', { Status: 'active' });
  expect((await signIn(authenticator)).answer.status).toBe(200);
  const { Link } = Object((await account('/invitation', {})).body);
  const joined = { secret: String(Link).split('#')[1], name: '', password: PASSWORD };
  expect((await send('POST', '/dashboard/join', browser(), joined)).status).toBe(200);
  expect((await signIn(authenticator)).answer.status).toBe(401);
});

test('deleting a passkey ends its sessions and their event streams, but not the session that deletes it', async () => {
  const person = await newPerson('gone@example.com');
  const { authenticator } = await addPasskey(person);
  const session = sessionOf((await signIn(authenticator)).answer);
  const stream = await fetch(`${service.url}/library/1/progress`, { headers: { Cookie: session } });
  expect(stream.status).toBe(200);
  const [{ id }] = Object((await send('GET', '/dashboard/account/passkeys', person.headers)).body);
  const own = sessionOf((await signIn(authenticator)).answer);
  const removed = await send('POST', `/dashboard/account/passkeys/${id}/remove`, browser(own), { current: PASSWORD });
  expect(removed.status, removed.text).toBe(204);
  const ended = stream.body?.pipeTo(new WritableStream());
  await Promise.race([
    ended?.catch(() => {}),
    new Promise((_, fail) => setTimeout(fail, STREAM_END_MS, new Error('The stream is open.'))),
  ]);
  expect((await send('GET', '/dashboard/session', browser(session))).status).toBe(401);
  expect((await send('GET', '/dashboard/session', browser(own))).status).toBe(200);
  expect((await signIn(authenticator)).answer.status).toBe(401);
});

test('deleting a passkey ends its session, even if that session has deleted another passkey', async () => {
  const person = await newPerson('two@example.com');
  await addPasskey(person, {}, 'Old');
  const { authenticator } = await addPasskey(person, {}, 'New');
  const own = sessionOf((await signIn(authenticator)).answer);
  const passkeys: { id: string; name: string }[] = Object(
    (await send('GET', '/dashboard/account/passkeys', person.headers)).body,
  );
  const remove = (wanted: string, headers: Record<string, string>) => {
    const id = passkeys.find(({ name }) => name === wanted)?.id;
    return send('POST', `/dashboard/account/passkeys/${id}/remove`, headers, { current: PASSWORD });
  };
  expect((await remove('Old', browser(own))).status).toBe(204);
  expect((await send('GET', '/dashboard/session', browser(own))).status).toBe(200);
  expect((await remove('New', person.headers)).status).toBe(204);
  expect((await send('GET', '/dashboard/session', browser(own))).status).toBe(401);
});

test('deleting one passkey keeps the others', async () => {
  const person = await newPerson('several@example.com');
  const old = await addPasskey(person, {}, 'Old');
  const { authenticator } = await addPasskey(person, {}, 'New');
  const read = async () => Object((await send('GET', '/dashboard/account/passkeys', person.headers)).body);
  const [{ id }] = await read();
  const body = { current: PASSWORD };
  expect((await send('POST', `/dashboard/account/passkeys/${id}/remove`, person.headers, body)).status).toBe(204);
  expect(await read()).toMatchObject([{ name: 'New' }]);
  expect((await signIn(authenticator)).answer.status).toBe(200);
  expect((await signIn(old.authenticator)).answer.status).toBe(401);
});

test('limits failed sign-ins per account from many addresses, and does not count successes', async () => {
  const { authenticator } = await addPasskey(await newPerson('sprayed@example.com'));
  const statuses: number[] = [];
  const wrong = { rpId: 'evil.example' };
  for (let tries = 0; tries < 5; tries += 1) statuses.push((await signIn(authenticator, wrong)).answer.status);
  for (let tries = 0; tries < 6; tries += 1) statuses.push((await signIn(authenticator)).answer.status);
  for (let tries = 0; tries < 5; tries += 1) statuses.push((await signIn(authenticator, wrong)).answer.status);
  expect(statuses).toEqual([...Array(5).fill(401), ...Array(6).fill(200), ...Array(5).fill(401)]);
  expect((await signIn(authenticator)).answer.status).toBe(429);
  const other = await addPasskey(await newPerson('unharmed@example.com'));
  expect((await signIn(other.authenticator)).answer.status).toBe(200);
});

test('limits failed sign-ins per address, whether or not the credential exists', async () => {
  const { authenticator } = await addPasskey(await newPerson('limited@example.com'));
  const from = { 'X-Forwarded-For': '203.0.113.9' };
  const { options, headers } = await begin({ ...browser(), ...from });
  const statuses: number[] = [];
  for (let tries = 0; tries < 12; tries += 1) {
    const forgery = tries % 2 === 0 ? { rpId: 'evil.example' } : { id: 'AAAA' };
    statuses.push((await finish(authenticator.sign(options, ORIGIN, forgery), headers)).status);
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  expect((await signIn(authenticator)).answer.status).toBe(200);
});

test('tells the dashboard where passkeys work, and refuses pages of other origins with that URL', async () => {
  const { body } = await send('GET', '/dashboard/sign-in', browser());
  expect(body).toMatchObject({ passkeys: { origin: ORIGIN, fault: null } });
  const elsewhere = { ...browser(), Origin: service.url };
  const answer = await send('POST', '/dashboard/passkey/options', elsewhere, {});
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ message: `Passkeys work only at ${ORIGIN}/. Open the dashboard there.` });
});
