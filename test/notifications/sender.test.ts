import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { claimSummaries } from '../../src/catalog/notifications/summary-store.ts';
import { LIBRARY_EVENT_ID } from '../../src/catalog/quotas/quota.ts';
import { WebhookStatus } from '../../src/catalog/webhooks/webhook.ts';
import { announceQuota } from '../../src/catalog/webhooks/webhook-store.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { join, type TestPerson } from '../support/people.ts';
import { type Receiver, startReceiver, status } from '../webhooks/receiver.ts';
import { addVideos, choose, happen, PUBLIC_URL, startSender } from './lab.ts';

const CHAT = '/library/1/chat-webhook';
const PATIENT = { timeout: 30_000, interval: 20 };

let api: TestApi;
let chat: Receiver;
let mail: MailServer;
let owner: TestPerson;
let sender: { close(): Promise<void> } | null = null;

beforeAll(async () => {
  [api, chat, mail] = await Promise.all([startTestApi(), startReceiver(), startMailServer()]);
  owner = await join(api, { role: 'owner' });
});
beforeEach(async () => {
  for (const table of ['notification_summary', 'notification', 'chat_webhook', 'notification_choice'] as const) {
    await api.database.db.deleteFrom(table).execute();
  }
  chat.arrivals.length = 0;
  chat.script(status(200));
  mail.mails.length = 0;
});
afterEach(async () => {
  await sender?.close();
  sender = null;
  expect(api.faults).toEqual([]);
});
afterAll(async () => {
  await Promise.all([chat.stop(), mail.close()]);
  await api.stop();
});

const setChat = async (fields: object = {}) => {
  const answer = await api.call('POST', CHAT, {
    body: { url: `${chat.url}/services/T0/B0/very-secret-token`, ...fields },
  });
  expect(answer.status).toBe(200);
};
const stored = async () => Object((await api.call('GET', CHAT)).body);
const texts = () => chat.arrivals.map(({ body }) => String(JSON.parse(body).text));
const untilRouted = () =>
  vi.waitFor(async () => {
    const rows = api.database.db.selectFrom('notification').select('position').where('is_routed', '=', false);
    expect(await rows.execute()).toEqual([]);
  }, PATIENT);
/** Returns the decoded text of an e-mail with short lines. */
const decoded = (data: string) =>
  data
    .replaceAll('=\r\n', '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) => decodeURIComponent(bytes.replaceAll('=', '%')));

test('a chat and a person get a finished and a failed video, with links, in one message each', async () => {
  const [first, second] = await addVideos(api, 1, ['Rough & <ready>|@channel', 'Broken']);
  if (first === undefined || second === undefined) throw new Error('Expected two videos.');
  await setChat();
  expect((await choose(api, owner, { browser: [], email: ['ready', 'failed'] })).status).toBe(204);
  await happen(api, 'ready', { libraryId: 1, mediaId: first });
  await happen(api, 'failed', { libraryId: 1, mediaId: second });
  await happen(api, 'live', { libraryId: 1, mediaId: second });
  sender = startSender(api, { mailUrl: mail.url });
  await vi.waitFor(() => expect([chat.arrivals.length, mail.mails.length]).toEqual([1, 1]), PATIENT);
  const page = (id: string) => `${PUBLIC_URL}/dashboard/library/1/videos/${id}`;
  expect(texts()[0]?.split('\n').slice(1)).toEqual([
    `• <${page(first)}|Rough &amp; &lt;ready&gt;¦@\u200bchannel> is ready.`,
    `• <${page(second)}|Broken> failed.`,
  ]);
  expect(texts()[0]).toMatch(/Videos ready: 1 · Videos failed: 1/);
  expect(Object.keys(JSON.parse(chat.arrivals[0]?.body ?? ''))).toEqual(['text']);
  const [{ to, data } = { to: [], data: '' }] = mail.mails;
  expect(to).toEqual([owner.email]);
  const text = decoded(data);
  for (const part of [
    '“Rough & <ready>|@channel” is ready.',
    page(first),
    '“Broken” failed.',
    page(second),
    `${PUBLIC_URL}/dashboard/account`,
  ]) {
    expect(text).toContain(part);
  }
  expect(text).toContain('Content-Type: text/plain');
  expect(await stored()).toMatchObject({ lastError: null, dateSent: expect.any(String) });
});

test('a started live stream and a reached quota are announced with links to their pages', async () => {
  const [stream] = await addVideos(api, 1, ['Match']);
  if (stream === undefined) throw new Error('Expected a stream.');
  await setChat({ events: ['live', 'quota'], language: 'es' });
  await happen(api, 'live', { libraryId: 1, mediaId: stream });
  await happen(api, 'ready', { libraryId: 1, mediaId: stream });
  const detail = { resource: 'concurrentViewers', percent: 100, used: 5, limit: 5, mode: 'hard' as const };
  const key = { libraryId: 1, mediaId: LIBRARY_EVENT_ID };
  for (const level of [WebhookStatus.quotaNearlyReached, WebhookStatus.quotaReached]) {
    await api.database.db.transaction().execute(announceQuota(key, level, detail));
  }
  sender = startSender(api);
  await vi.waitFor(() => expect(texts()).toHaveLength(1), PATIENT);
  const page = `${PUBLIC_URL}/dashboard/library/1`;
  const { name } = await api.database.db
    .selectFrom('library')
    .select('name')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow();
  expect(texts()[0]?.split('\n')).toEqual([
    `${name}: Transmisiones en directo iniciadas: 1 · Límites alcanzados: 1`,
    `• <${page}/live/${stream}|Match> está en directo.`,
    `• La biblioteca <${page}/settings/quotas|${name}> ha alcanzado su límite: espectadores simultáneos.`,
  ]);
});

test('a burst becomes one message that names ten events and counts the others', async () => {
  const ids = await addVideos(
    api,
    1,
    Array.from({ length: 1_250 }, (_, n) => `Film ${n}`),
  );
  await setChat();
  await choose(api, owner, { browser: [], email: ['ready'] });
  await api.database.db
    .insertInto('notification')
    .values(ids.map((id) => ({ library_id: 1, media_id: id, event: 'ready' as const, resource: null })))
    .execute();
  sender = startSender(api, { mailUrl: mail.url, timing: { groupSec: 1 } });
  await vi.waitFor(() => expect([chat.arrivals.length, mail.mails.length]).toEqual([1, 1]), PATIENT);
  expect(texts()[0]).toContain('Videos ready: 1250');
  expect(texts()[0]?.split('\n')).toHaveLength(12);
  expect(texts()[0]).toMatch(/… and 1240 more$/);
  expect((texts()[0] ?? '').length).toBeLessThanOrEqual(2_000);
  expect(decoded(mail.mails[0]?.data ?? '')).toContain('and 1240 more');
});

test('after ten messages within an hour, events are collected for longer', async () => {
  const ids = await addVideos(api, 1, ['a', 'b', 'c']);
  await setChat();
  await api.database.db
    .insertInto('notification_summary')
    .values(
      Array.from({ length: 10 }, () => ({
        ...{ id: crypto.randomUUID() as (typeof ids)[number], library_id: 1, person_id: null, counts: '[]' },
        ...{ items: '[]', state: 'delivered' as const, next_attempt_at: new Date(), give_up_at: new Date() },
        claim: null,
      })),
    )
    .execute();
  sender = startSender(api);
  for (const mediaId of ids) {
    await happen(api, 'ready', { libraryId: 1, mediaId });
    await untilRouted();
  }
  const waiting = await api.database.db
    .selectFrom('notification_summary')
    .selectAll()
    .where('state', '=', 'pending')
    .execute();
  expect(waiting).toMatchObject([{ counts: [{ libraryId: 1, event: 'ready', count: 3 }] }]);
  expect(waiting[0]?.next_attempt_at.getTime()).toBeGreaterThan(Date.now() + 1_800_000);
  expect(chat.arrivals).toEqual([]);
});

test('a message to a failing chat collects later events, and its error is shown without the URL', async () => {
  const [first, second] = await addVideos(api, 1, ['Early', 'Late']);
  if (first === undefined || second === undefined) throw new Error('Expected two videos.');
  await setChat();
  chat.script(status(503));
  await happen(api, 'ready', { libraryId: 1, mediaId: first });
  sender = startSender(api);
  await vi.waitFor(async () => expect((await stored()).lastError).toBe('HTTP 503'), PATIENT);
  await happen(api, 'ready', { libraryId: 1, mediaId: second });
  await untilRouted();
  chat.arrivals.length = 0;
  chat.script(status(200));
  await vi.waitFor(async () => expect((await stored()).lastError).toBeNull(), PATIENT);
  await vi.waitFor(async () => {
    const pending = api.database.db.selectFrom('notification_summary').select('id').where('state', '=', 'pending');
    expect(await pending.execute()).toEqual([]);
  }, PATIENT);
  expect(texts().join('\n')).toMatch(/Early[\s\S]*Late/);
});

test('a message is given up after its time, and the next event starts a new one', async () => {
  const [first, second] = await addVideos(api, 1, ['Lost', 'Found']);
  if (first === undefined || second === undefined) throw new Error('Expected two videos.');
  await setChat();
  chat.script(status(404));
  await happen(api, 'ready', { libraryId: 1, mediaId: first });
  sender = startSender(api, { timing: { giveUpSec: 0 } });
  const states = async () =>
    (await api.database.db.selectFrom('notification_summary').select('state').execute()).map(({ state }) => state);
  await vi.waitFor(async () => expect(await states()).toEqual(['dead']), PATIENT);
  expect(chat.arrivals).toHaveLength(1);
  chat.script(status(200));
  await happen(api, 'ready', { libraryId: 1, mediaId: second });
  await vi.waitFor(() => expect(texts().at(-1)).toMatch(/Found.* is ready\.$/), PATIENT);
});

test('a private address is refused by the outbound rules, and its URL is not part of the error', async () => {
  const [mediaId] = await addVideos(api, 1, ['Inside']);
  if (mediaId === undefined) throw new Error('Expected a video.');
  await setChat();
  await happen(api, 'ready', { libraryId: 1, mediaId });
  sender = startSender(api, { allow: [] });
  await vi.waitFor(
    async () => expect((await stored()).lastError).toMatch(/private|not allowed|refused|address/i),
    PATIENT,
  );
  expect((await stored()).lastError).not.toContain('very-secret-token');
  expect(chat.arrivals).toEqual([]);
});

test('people get e-mail only about libraries and events that their roles permit, in their language', async () => {
  const { id: other } = api.second;
  const libraries = [{ LibraryId: other, Role: 'editor' as const }];
  const editor = await join(api, { libraries, email: 'redaktion@example.com' });
  const profile = { name: 'Redaktion', language: 'de' };
  expect(
    (await api.call('POST', '/dashboard/account', { key: null, headers: editor.headers, body: profile })).status,
  ).toBe(204);
  await choose(api, editor, { browser: [], email: ['ready', 'quota'] });
  const [mine] = await addVideos(api, other, ['Unser Film']);
  const [foreign] = await addVideos(api, 1, ['Geheim']);
  if (mine === undefined || foreign === undefined) throw new Error('Expected two videos.');
  await happen(api, 'ready', { libraryId: 1, mediaId: foreign }, { libraryId: other, mediaId: mine });
  await api.database.db
    .insertInto('notification')
    .values({ library_id: other, media_id: mine, event: 'quota', resource: 'storageBytes' })
    .execute();
  sender = startSender(api, { mailUrl: mail.url });
  await vi.waitFor(() => expect(mail.mails).toHaveLength(1), PATIENT);
  const text = decoded(mail.mails[0]?.data ?? '');
  expect(text).toContain('„Unser Film“ ist fertig');
  expect(text).not.toMatch(/Geheim|Limit/);
});

test('somebody who lost the role before the message is sent gets nothing', async () => {
  const leaving = await join(api, { role: 'viewer', email: 'leaving@example.com' });
  await choose(api, leaving, { browser: [], email: ['ready'] });
  const [mediaId] = await addVideos(api, 1, ['After hours']);
  if (mediaId === undefined) throw new Error('Expected a video.');
  await happen(api, 'ready', { libraryId: 1, mediaId });
  sender = startSender(api, { mailUrl: mail.url, timing: { groupSec: 3_600 } });
  await untilRouted();
  await api.database.db.updateTable('person').set({ role: null }).where('email', '=', leaving.email).execute();
  await api.database.db.updateTable('notification_summary').set({ next_attempt_at: new Date() }).execute();
  await vi.waitFor(async () => {
    const states = await api.database.db.selectFrom('notification_summary').select('state').execute();
    expect(states).toEqual([{ state: 'dead' }]);
  }, PATIENT);
  expect(mail.mails).toEqual([]);
});

test('the message of a sender that died is sent by another one when its lease expires', async () => {
  const [mediaId] = await addVideos(api, 1, ['Survivor']);
  if (mediaId === undefined) throw new Error('Expected a video.');
  await setChat();
  await happen(api, 'ready', { libraryId: 1, mediaId });
  const router = startSender(api, { timing: { groupSec: 3_600 } });
  await untilRouted();
  await router.close();
  await api.database.db
    .updateTable('notification_summary')
    .set({ next_attempt_at: new Date(0) })
    .execute();
  const [claimed] = await claimSummaries(api.database.db, { limit: 5, leaseSec: 3_600 });
  expect(claimed).toMatchObject({ attempts: 1, recipient: { libraryId: 1, personId: null } });
  expect(await claimSummaries(api.database.db, { limit: 5, leaseSec: 3_600 })).toEqual([]);
  await api.database.db
    .updateTable('notification_summary')
    .set({ next_attempt_at: new Date(0) })
    .execute();
  sender = startSender(api);
  await vi.waitFor(() => expect(texts()).toHaveLength(1), PATIENT);
});
