import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { claimEvents } from '../../src/catalog/webhooks/delivery-store.ts';
import { pruneEvents } from '../../src/catalog/webhooks/webhook-store.ts';
import type { WebhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { findForgery, type Receiver, startReceiver, status } from './receiver.ts';
import { happen, readLog, setWebhookUrl, startSender } from './webhook-sender.ts';

let api: TestApi;
let first: Receiver;
let second: Receiver;
let sender: WebhookSender | null = null;

const PATH = '/library/1/webhook-endpoints';
const NIL = '00000000-0000-0000-0000-000000000000';
const patient = { timeout: 30_000, interval: 30 };

beforeAll(async () => {
  [api, first, second] = await Promise.all([startTestApi(), startReceiver(), startReceiver()]);
});
beforeEach(async () => {
  await setWebhookUrl(api.database, 1, first.url);
  for (const table of ['webhook_line', 'webhook_event', 'webhook_endpoint'] as const) {
    await api.database.db.deleteFrom(table).execute();
  }
  for (const receiver of [first, second]) {
    receiver.arrivals.length = 0;
    receiver.script(status(204));
  }
});
afterEach(async () => {
  await sender?.close();
  sender = null;
  expect(api.faults).toEqual([]);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await api.stop();
});

type Endpoint = { guid: Guid; secret: string };

const send = async (allow?: string[]) => {
  const onError = (error: unknown) => void api.faults.push(error);
  const retries = { retryDelaySec: () => 1_000 };
  sender = await startSender(api.database, { onError, timing: retries, ...(allow && { allow }) });
};
const add = async (fields: object): Promise<Endpoint> => {
  const answer = await api.call('POST', PATH, { body: fields });
  expect(answer.status).toBe(200);
  return Object(answer.body);
};
const list = async (query = '') => Object((await api.call('GET', `/library/1/webhooks${query}`)).body);
const untilFinal = () => vi.waitFor(async () => expect((await list('?state=pending')).totalItems).toBe(0), patient);
const statusesAt = ({ arrivals }: Receiver) => arrivals.map(({ body }) => JSON.parse(body).Status);

const orderOf = ({ arrivals }: Receiver, mediaId: Guid) =>
  arrivals.map(({ body }) => JSON.parse(body)).flatMap((sent) => (sent.VideoGuid === mediaId ? [sent.Status] : []));

test('each endpoint gets its chosen events, in order per video, signed with its own secret', async () => {
  const { guid, secret } = await add({ url: second.url, events: [3, 5] });
  const mediaId = newGuid();
  await happen(api.database, { libraryId: 1, mediaId }, 0, 1, 3);
  await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 5);
  await send();
  await untilFinal();
  expect(statusesAt(first).toSorted((a, b) => a - b)).toEqual([0, 1, 3, 5]);
  expect(statusesAt(second).toSorted((a, b) => a - b)).toEqual([3, 5]);
  expect(orderOf(first, mediaId)).toEqual([0, 1, 3]);
  const [arrival] = second.arrivals.filter(({ body }) => JSON.parse(body).VideoGuid === mediaId);
  if (arrival === undefined) throw new Error('Expected the event of the video to arrive.');
  expect(arrival.body).toBe(`{"VideoLibraryId":1,"VideoGuid":"${mediaId}","Status":3}`);
  expect(findForgery(arrival, secret)).toBeNull();
  const { readOnlyKey } = await api.libraries.keys(1);
  expect(findForgery(arrival, readOnlyKey)).not.toBeNull();
  for (const sent of first.arrivals) expect(findForgery(sent, readOnlyKey)).toBeNull();
  expect((await list(`?endpoint=${guid}`)).items).toMatchObject([
    { endpointGuid: guid, status: 5, state: 'delivered' },
    { endpointGuid: guid, status: 3, videoGuid: mediaId, state: 'delivered' },
  ]);
  expect((await list(`?endpoint=${NIL}`)).totalItems).toBe(4);
});

test('a failing endpoint delays neither the first one nor its retries', async () => {
  const { guid } = await add({ url: second.url });
  second.script(status(500));
  const mediaId = newGuid();
  await happen(api.database, { libraryId: 1, mediaId }, 0, 3);
  await send();
  await vi.waitFor(() => expect([statusesAt(first), statusesAt(second)]).toEqual([[0, 3], [0]]), patient);
  second.script(status(200));
  const [waiting] = (await list(`?endpoint=${guid}&state=pending`)).items.filter(
    ({ attempts }: { attempts: number }) => attempts > 0,
  );
  expect(waiting).toMatchObject({ videoGuid: mediaId, lastAnswer: 'HTTP 500', status: 0 });
  expect((await api.call('POST', `/library/1/webhooks/${waiting.guid}/resend`)).status).toBe(200);
  await untilFinal();
  expect(statusesAt(second)).toEqual([0, 0, 3]);
});

test('an endpoint works without a WebhookUrl', async () => {
  await setWebhookUrl(api.database, 1, null);
  const { secret } = await add({ url: second.url });
  const mediaId = newGuid();
  await happen(api.database, { libraryId: 1, mediaId }, 3, 0, 4);
  await send();
  await untilFinal();
  expect([orderOf(second, mediaId), first.arrivals]).toEqual([[3, 0, 4], []]);
  for (const arrival of second.arrivals) expect(findForgery(arrival, secret)).toBeNull();
});

test('an endpoint with a private address gets nothing', async () => {
  await setWebhookUrl(api.database, 1, null);
  await add({ url: second.url });
  await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 3);
  await send([]);
  // The attempt is counted before its outcome is stored.
  await vi.waitFor(
    async () => expect((await readLog(api.database, 1))[0]?.lastAnswer).toMatch(/127\.0\.0\.1|private|not allowed/i),
    patient,
  );
  expect(second.arrivals).toEqual([]);
});

test('at most two deliveries of each additional endpoint are claimed at the same time', async () => {
  const { guid } = await add({ url: second.url });
  for (let video = 0; video < 6; video += 1) await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 3);
  const bounds = { limit: 100, perLibrary: 4, perEndpoint: 2, leaseSec: 60 };
  const claim = async () => {
    const urls = (await claimEvents(api.database.db, bounds)).map(({ url }) => url);
    return [urls.filter((url) => url === first.url).length, urls.filter((url) => url === second.url).length];
  };
  expect(await claim()).toEqual([4, 2]);
  expect(await claim()).toEqual([0, 0]);
  const { items } = await list(`?endpoint=${guid}`);
  expect(items.filter(({ attempts }: { attempts: number }) => attempts > 0)).toHaveLength(2);
});

test('a test event reaches only the chosen endpoint, even if it did not choose the status', async () => {
  const { guid, secret } = await add({ url: second.url, events: [3] });
  const answer = await api.call('POST', `/library/1/webhooks/test?endpoint=${guid}`);
  expect(answer.status).toBe(200);
  await send();
  await untilFinal();
  expect(first.arrivals).toEqual([]);
  const [arrival] = second.arrivals;
  if (arrival === undefined) throw new Error('Expected the test to arrive.');
  expect([arrival.id, arrival.body]).toEqual([
    Object(answer.body).guid,
    `{"VideoLibraryId":1,"VideoGuid":"${NIL}","Status":0}`,
  ]);
  expect(findForgery(arrival, secret)).toBeNull();
  expect((await api.call('POST', `/library/1/webhooks/test?endpoint=${newGuid()}`)).status).toBe(400);
});

test('a disabled endpoint gets nothing, and deleting an endpoint deletes its deliveries', async () => {
  const { guid } = await add({ url: second.url });
  await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 1);
  expect((await list()).totalItems).toBe(2);
  expect((await api.call('POST', `${PATH}/${guid}`, { body: { enabled: false } })).status).toBe(200);
  await happen(api.database, { libraryId: 1, mediaId: newGuid() }, 3);
  expect((await list()).totalItems).toBe(3);
  expect((await api.call('POST', `/library/1/webhooks/test?endpoint=${guid}`)).status).toBe(400);
  await send();
  await untilFinal();
  expect(second.arrivals).toEqual([]);
  expect((await list(`?endpoint=${guid}`)).items).toMatchObject([
    { state: 'dead', lastAnswer: 'Not sent: the webhook URL was removed or disabled.' },
  ]);
  expect((await api.call('DELETE', `${PATH}/${guid}`)).status).toBe(200);
  expect((await list()).totalItems).toBe(2);
});

test('lists the WebhookUrl first, requires a write key, and accepts ten more endpoints', async () => {
  for (let count = 0; count < 10; count += 1) await add({ url: `${second.url}/${count}`, name: `number ${count}` });
  const { items } = Object((await api.call('GET', PATH)).body);
  expect(items).toHaveLength(11);
  expect(items[0]).toEqual({
    ...{ guid: NIL, name: '', url: first.url, events: null, enabled: true, secret: null, dateCreated: null },
  });
  expect(items[1]).toMatchObject({ name: 'number 0', events: null, enabled: true });
  expect((await api.call('POST', PATH, { body: { url: second.url } })).status).toBe(400);
  const { readOnlyKey } = await api.libraries.keys(1);
  expect((await api.call('GET', PATH, { key: readOnlyKey })).status).toBe(403);
});

test.each([
  { url: 'ftp://example.com/' },
  { url: 'nonsense' },
  { url: 'https://example.com/', events: [99] },
  { url: 'https://example.com/', events: [] },
])('refuses the endpoint %o', async (body) => {
  expect((await api.call('POST', PATH, { body })).status).toBe(400);
});

test('keeps the newest 20,000 final events of a library', async () => {
  await sql`
    insert into webhook_event (id, library_id, media_id, status, state, give_up_at, settled_at)
    select gen_random_uuid(), 1, gen_random_uuid(), 3, 'delivered', now(), now()
    from generate_series(1, 20005)`.execute(api.database.db);
  await pruneEvents(api.database.db);
  expect((await list()).totalItems).toBe(20_000);
});
