import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { WebhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { findForgery, type Receiver, startReceiver, status } from './receiver.ts';
import { happen, setWebhookUrl, startSender } from './webhook-sender.ts';

let api: TestApi;
let receiver: Receiver;
let sender: WebhookSender | null = null;
let readOnlyKey: string;

beforeAll(async () => {
  [api, receiver] = await Promise.all([startTestApi(), startReceiver()]);
  readOnlyKey = (await api.libraries.keys(1)).readOnlyKey;
});
beforeEach(async () => {
  await setWebhookUrl(api.database, 1, receiver.url);
  await api.database.db.deleteFrom('webhook_line').execute();
  await api.database.db.deleteFrom('webhook_event').execute();
  receiver.arrivals.length = 0;
});
afterEach(async () => {
  await sender?.close();
  sender = null;
  expect(api.faults).toEqual([]);
});
afterAll(async () => {
  await receiver.stop();
  await api.stop();
});

const ZERO = '00000000-0000-0000-0000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/);

const send = async () => {
  const onError = (error: unknown) => void api.faults.push(error);
  sender = await startSender(api.database, { onError, timing: { retryDelaySec: () => 1_000 } });
};
const list = async (query = '', key = api.first.libraryKey) => {
  const answer = await api.call('GET', `/library/1/webhooks${query}`, { key });
  return { status: answer.status, ...Object(answer.body) };
};
const patient = { timeout: 30_000, interval: 30 };
const untilFinalized = () => vi.waitFor(async () => expect((await list('?state=pending')).totalItems).toBe(0), patient);

test('lists events newest first, by page and state, and accepts the read-only key', async () => {
  const mediaId: Guid = newGuid();
  await happen(api.database, { libraryId: 1, mediaId }, 0, 1, 2);
  receiver.script(({ body, response }) => response.writeHead(JSON.parse(body).Status === 1 ? 410 : 200).end());
  await send();
  await untilFinalized();
  await sender?.close();
  await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 3);
  const { items, ...envelope } = await list('', readOnlyKey);
  expect(envelope).toEqual({ status: 200, totalItems: 4, currentPage: 1, itemsPerPage: 100 });
  expect(items[0]).toMatchObject({ state: 'pending', attempts: 0, dateNextAttempt: TIME, dateSettled: null });
  expect(items[1]).toEqual({
    videoLibraryId: 1,
    guid: receiver.arrivals[2]?.id,
    endpointGuid: ZERO,
    videoGuid: mediaId,
    status: 2,
    quota: null,
    state: 'delivered',
    attempts: 1,
    lastAnswer: 'HTTP 200',
    dateCreated: TIME,
    dateNextAttempt: null,
    dateSettled: TIME,
  });
  const statuses = async (query: string) => (await list(query)).items.map((item: { status: number }) => item.status);
  expect(await statuses('?state=dead')).toEqual([1]);
  expect(await statuses('?state=Delivered')).toEqual([2, 0]);
  expect(await statuses('?state=delivered&page=2&itemsPerPage=1')).toEqual([0]);
  expect(await list('?state=nonsense')).toMatchObject({ status: 400, message: expect.stringContaining('"nonsense"') });
  expect(await api.call('GET', `/library/${api.second.id}/webhooks`)).toMatchObject({ status: 401 });
});

test('sends an event again by its id, only with a write key and in its own library', async () => {
  receiver.script(status(410));
  await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 3);
  await send();
  await untilFinalized();
  const [{ guid }] = (await list()).items;
  const resend = (libraryId: number, id: string, key = api.first.libraryKey) =>
    api.call('POST', `/library/${libraryId}/webhooks/${id}/resend`, { key });
  expect((await resend(1, guid, readOnlyKey)).status).toBe(403);
  expect((await resend(api.second.id, guid, api.second.key)).status).toBe(404);
  expect((await resend(1, newGuid())).status).toBe(404);
  expect((await resend(1, 'nonsense')).status).toBe(404);
  receiver.script(status(200));
  expect(await resend(1, guid)).toMatchObject({ status: 200, body: { success: true, message: 'OK', statusCode: 200 } });
  await vi.waitFor(
    async () => expect((await list('?state=delivered')).items).toMatchObject([{ guid, attempts: 1 }]),
    patient,
  );
  expect(receiver.arrivals.map(({ id }) => id)).toEqual([guid, guid]);
});

test('sends an event that waits for its next attempt immediately on request', async () => {
  receiver.script(status(500));
  await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 3);
  await send();
  await vi.waitFor(async () => expect((await list()).items).toMatchObject([{ lastAnswer: 'HTTP 500' }]), patient);
  receiver.script(status(200));
  const [{ guid }] = (await list()).items;
  await api.call('POST', `/library/1/webhooks/${guid}/resend`);
  await untilFinalized();
  expect((await list()).items).toMatchObject([{ guid, state: 'delivered' }]);
});

test('a test event is a signed delivery of status 0 for the nil GUID, attempted once', async () => {
  const ask = async (key = api.first.libraryKey) => {
    const answer = await api.call('POST', '/library/1/webhooks/test', { key });
    return { status: answer.status, body: Object(answer.body) };
  };
  receiver.script(status(500));
  const { body, status: answered } = await ask();
  expect(answered).toBe(200);
  await send();
  await untilFinalized();
  expect((await list()).items).toMatchObject([{ guid: body.guid, state: 'dead', attempts: 1, lastAnswer: 'HTTP 500' }]);
  const [arrival] = receiver.arrivals;
  if (arrival === undefined) throw new Error('Expected the test to arrive.');
  expect([arrival.id, arrival.body]).toEqual([body.guid, `{"VideoLibraryId":1,"VideoGuid":"${ZERO}","Status":0}`]);
  expect(findForgery(arrival, readOnlyKey)).toBeNull();
  expect((await ask(readOnlyKey)).status).toBe(403);
});

test('rejects a test event without a webhook URL, and the eleventh pending test event', async () => {
  const ask = () => api.call('POST', '/library/1/webhooks/test');
  for (let turn = 0; turn < 10; turn += 1) expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(429);
  expect((await list()).totalItems).toBe(10);
  await setWebhookUrl(api.database, 1, null);
  expect((await ask()).status).toBe(400);
});
