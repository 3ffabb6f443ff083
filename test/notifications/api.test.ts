import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';
import { join, pageHeaders, type TestPerson } from '../support/people.ts';
import { type Receiver, startReceiver, status } from '../webhooks/receiver.ts';
import { addVideos, choose, happen } from './lab.ts';

const CHAT = '/library/1/chat-webhook';

let api: TestApi;
let chat: Receiver;
let owner: TestPerson;

beforeAll(async () => {
  [api, chat] = await Promise.all([startTestApi(), startReceiver()]);
  owner = await join(api, { role: 'owner' });
});
beforeEach(async () => {
  await api.database.db.deleteFrom('chat_webhook').execute();
  chat.arrivals.length = 0;
  chat.script(status(200));
});
afterAll(async () => {
  await chat.stop();
  expect(api.faults).toEqual([]);
  await api.stop();
});

const urlOf = (secret: string) => `${chat.url}/services/T0/B0/${secret}`;
const setChat = async (fields: object = {}) => {
  const body = { url: urlOf('very-secret-token'), ...fields };
  expect((await api.call('POST', CHAT, { body })).status).toBe(200);
};
const stored = async () => Object((await api.call('GET', CHAT)).body);
const texts = () => chat.arrivals.map(({ body }) => String(JSON.parse(body).text));

test('the URL of a chat is masked in responses and in the audit log, and only managers may use it', async () => {
  await setChat({ events: ['failed', 'quota'] });
  const masked = `${chat.url}/…oken`;
  expect(await stored()).toMatchObject({ maskedUrl: masked, events: ['failed', 'quota'], enabled: true });
  await setChat({ url: urlOf('other-secret-token'), enabled: false });
  const { rows } = await api.database.pool.query('select changes::text, targets::text from audit_line');
  const log = JSON.stringify(rows);
  expect(log).toContain('…oken');
  expect(log).not.toMatch(/secret-token/);
  const row = api.database.db.selectFrom('chat_webhook').select('url_sealed');
  const { url_sealed } = await row.executeTakeFirstOrThrow();
  expect(url_sealed.includes('secret-token')).toBe(false);
  const editor = await join(api, { role: 'editor' });
  for (const [method, path] of [
    ['GET', CHAT],
    ['POST', CHAT],
    ['DELETE', CHAT],
    ['POST', `${CHAT}/test`],
  ] as const) {
    const body = method === 'POST' && path === CHAT ? { enabled: true } : undefined;
    const options = { key: null, headers: editor.headers, ...(body && { body }) };
    expect([path, (await api.call(method, path, options)).status]).toEqual([path, 403]);
  }
  for (const url of ['ftp://chat.example/', 'not a url', 'https://user:pass@chat.example/']) {
    expect([url, (await api.call('POST', CHAT, { body: { url } })).status]).toEqual([url, 400]);
  }
  expect((await api.call('DELETE', CHAT)).status).toBe(200);
  expect(await stored()).toMatchObject({ maskedUrl: null, enabled: false });
  expect((await api.call('POST', CHAT, { body: { enabled: true } })).status).toBe(400);
});

test('a test message shows the response of the chat', async () => {
  expect((await api.call('POST', `${CHAT}/test`)).status).toBe(409);
  await setChat({ language: 'fr' });
  expect((await api.call('POST', `${CHAT}/test`)).body).toEqual({ delivered: true, error: null });
  expect(texts()[0]).toMatch(/^Message de test pour la bibliothèque/);
  chat.script(status(410));
  expect((await api.call('POST', `${CHAT}/test`)).body).toEqual({ delivered: false, error: 'HTTP 410' });
  expect(await stored()).toMatchObject({ lastError: 'HTTP 410' });
});

test('the list of notifications has what the roles and choices of a person permit', async () => {
  const [mine] = await addVideos(api, api.second.id, ['Mine']);
  const [other] = await addVideos(api, 1, ['Other']);
  if (mine === undefined || other === undefined) throw new Error('Expected two videos.');
  const libraries = [{ LibraryId: api.second.id, Role: 'viewer' as const }];
  const viewer = await join(api, { libraries, email: 'viewer2@example.com' });
  await happen(api, 'ready', { libraryId: api.second.id, mediaId: mine }, { libraryId: 1, mediaId: other });
  await happen(api, 'failed', { libraryId: api.second.id, mediaId: mine });
  const list = async ({ headers }: { headers: Record<string, string> }, query = '') => {
    const answer = await api.call('GET', `/dashboard/notifications${query}`, { key: null, headers });
    return Object(answer.body).items as { position: number; title: string; event: string }[];
  };
  const named = async (person: TestPerson) => (await list(person)).map(({ title, event }) => [title, event]);
  expect(await named(owner)).toEqual([
    ['Mine', 'failed'],
    ['Other', 'ready'],
    ['Mine', 'ready'],
  ]);
  expect(await named(viewer)).toEqual([
    ['Mine', 'failed'],
    ['Mine', 'ready'],
  ]);
  const [newest] = await list(viewer);
  expect(await list(viewer, `?after=${newest?.position}`)).toEqual([]);
  await choose(api, viewer, { browser: ['failed'], email: [] });
  expect(await named(viewer)).toEqual([['Mine', 'failed']]);
  const signedOut = await api.call('GET', '/dashboard/notifications', { key: null, headers: pageHeaders(api) });
  expect(signedOut.status).toBe(401);
  const wrong = { browser: ['everything'], email: [] };
  const sent = { key: null, headers: viewer.headers, body: wrong };
  const refused = await api.call('POST', '/dashboard/account/notifications', sent);
  expect(refused.status).toBe(400);
});
