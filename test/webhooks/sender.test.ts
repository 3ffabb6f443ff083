import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { verifyWebhook } from '../../sdk/src/verify-webhook.ts';
import { createKeyStore } from '../../src/catalog/keys/key-store.ts';
import { createLibraryStore } from '../../src/catalog/libraries/library-store.ts';
import { claimEvents, endEvent, releaseEvent } from '../../src/catalog/webhooks/delivery-store.ts';
import { announce, pruneEvents, resendEvent } from '../../src/catalog/webhooks/webhook-store.ts';
import type { WebhookSender, WebhookTiming } from '../../src/jobs/webhooks/webhook-sender.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Arrival, findForgery, type Receiver, reset, startReceiver, status } from './receiver.ts';
import {
  addLibrary,
  type HookedLibrary,
  happen,
  readLog,
  secretBox,
  setWebhookUrl,
  startSender,
} from './webhook-sender.ts';

let database: TestDatabase;
let receiver: Receiver;
const others: Receiver[] = [];
const senders: WebhookSender[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  database = await startTestDatabase();
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.close();
  for (const other of others.splice(0)) await other.stop();
  await database.db.deleteFrom('webhook_line').execute();
  await database.db.deleteFrom('webhook_event').execute();
  receiver.arrivals.length = 0;
  expect(errors.splice(0)).toEqual([]);
});
afterAll(async () => {
  await receiver.stop();
  await database.stop();
});

const silent = () => undefined;
const patient = { timeout: 30_000, interval: 20 };
const hook = (script: (arrival: Arrival) => void, path = '/hook') => {
  receiver.script(script);
  return addLibrary(database, `${receiver.url}${path}`);
};

async function send(timing: Partial<WebhookTiming> = {}, allow = ['127.0.0.1/32']): Promise<WebhookSender> {
  const sender = await startSender(database, { allow, timing, onError: (error) => errors.push(error) });
  senders.push(sender);
  return sender;
}

const reportToLog = async ({ id }: HookedLibrary) =>
  (await readLog(database, id)).map(({ status: reported, state, lastAnswer }) => `${reported} ${state}: ${lastAnswer}`);
const untilLog = (library: HookedLibrary, log: unknown[]) =>
  vi.waitFor(async () => expect(await reportToLog(library)).toEqual(log), patient);
/** Returns the statuses that arrived, in order. */
const arrived = () => receiver.arrivals.map(({ body }) => JSON.parse(body).Status);
const videoOf = ({ id }: HookedLibrary) => ({ libraryId: id, mediaId: newGuid() });
const bounds = { limit: 10, perLibrary: 4, perEndpoint: 2, leaseSec: 60 };

test('a replaced read-only key signs until its overlap ends or it is revoked', async () => {
  const library = await hook(status(200));
  const store = createLibraryStore({ db: database.db, secretBox });
  await store.resetKey(library.id, 'readOnlyKey', 3_600);
  const key = (await store.keys(library.id)).readOnlyKey;
  await happen(database, videoOf(library), 0);
  await send();
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1), patient);
  const check = (arrival: Arrival | undefined, readOnlyKey: string) =>
    verifyWebhook(arrival?.body ?? '', arrival?.headers ?? {}, { readOnlyKey });
  const [first] = receiver.arrivals;
  expect(await Promise.all([check(first, key), check(first, library.readOnlyKey)])).toEqual([true, true]);
  expect(first && findForgery(first, key)).toBe(null);
  const keys = createKeyStore(database.db);
  const [former] = await keys.list(library.id);
  await keys.revoke(library.id, former?.id ?? newGuid());
  await happen(database, videoOf(library), 1);
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(2), patient);
  const second = receiver.arrivals[1];
  expect(await Promise.all([check(second, key), check(second, library.readOnlyKey)])).toEqual([true, false]);
});

test('status 410 makes an event a dead letter, and the next event follows immediately', async () => {
  const library = await hook(status(410));
  await happen(database, videoOf(library), 0, 1);
  await send();
  await untilLog(library, ['0 dead: HTTP 410', '1 dead: HTTP 410']);
  expect(arrived()).toEqual([0, 1]);
  receiver.script(status(200));
  const [dead] = await readLog(database, library.id);
  await resendEvent(database.db, library.id, dead?.id ?? newGuid());
  await untilLog(library, ['0 delivered: HTTP 200', '1 dead: HTTP 410']);
  expect(receiver.arrivals.map(({ id }) => id)).toEqual([dead?.id, expect.any(String), dead?.id]);
});

test('at most four of a hundred hanging deliveries of a library are in progress across all senders', async () => {
  const hanging = await startReceiver();
  others.push(hanging);
  hanging.script(silent);
  const stuck = await addLibrary(database, hanging.url);
  const healthy = await hook(status(200));
  for (let video = 0; video < 100; video += 1) await happen(database, videoOf(stuck), 0);
  const patience = { answerLimitMs: 60_000, leaseSec: 61 };
  await send(patience);
  await send(patience);
  await vi.waitFor(() => expect(hanging.openNow()).toBe(4), patient);
  await happen(database, videoOf(healthy), 0, 1, 2, 3);
  await vi.waitFor(() => expect(arrived()).toEqual([0, 1, 2, 3]), patient);
  expect(hanging.mostOpen()).toBe(4);
});

test('prefers libraries with the fewest deliveries in progress, regardless of how long others wait', async () => {
  const [early, late] = [await hook(silent), await hook(silent)];
  for (let video = 0; video < 6; video += 1) await happen(database, videoOf(early), 0);
  await happen(database, videoOf(late), 0);
  const first = await claimEvents(database.db, { ...bounds, limit: 2 });
  const second = await claimEvents(database.db, bounds);
  expect(first.map(({ libraryId }) => libraryId).toSorted((a, b) => a - b)).toEqual([early.id, late.id]);
  expect(second.map(({ libraryId }) => libraryId)).toEqual([early.id, early.id, early.id]);
});

test('a sender whose lease expired records no result', async () => {
  const library = await hook(silent);
  await happen(database, videoOf(library), 0, 1);
  const [late] = await claimEvents(database.db, { ...bounds, leaseSec: 0 });
  const [now] = await claimEvents(database.db, bounds);
  if (late === undefined || now === undefined) throw new Error('Expected both to get the event.');
  expect(now.id).toBe(late.id);
  await endEvent(database.db, late, { kind: 'delivered', answer: 'late', retrySec: 0 });
  await releaseEvent(database.db, late);
  expect(await reportToLog(library)).toEqual(['0 pending: null', '1 pending: null']);
  expect(await claimEvents(database.db, bounds)).toEqual([]);
  await endEvent(database.db, now, { kind: 'delivered', answer: 'in time', retrySec: 0 });
  expect(await reportToLog(library)).toEqual(['0 delivered: in time', '1 pending: null']);
});

test("an event that fails for three days becomes a dead letter, and the video's next event is sent", async () => {
  const library = await hook(({ body, response }) =>
    status(JSON.parse(body).Status === 0 ? 500 : 200)({ response } as Arrival),
  );
  await happen(database, videoOf(library), 0, 1);
  await database.db.updateTable('webhook_event').set({ give_up_at: new Date() }).where('status', '=', 0).execute();
  await send();
  await untilLog(library, ['0 dead: HTTP 500', '1 delivered: HTTP 200']);
  expect(arrived()).toEqual([0, 1]);
});

test('the log reports when an event will be tried next', async () => {
  const library = await hook(reset);
  await happen(database, videoOf(library), 0, 1);
  await send({ retryDelaySec: () => 1_000 });
  await untilLog(library, ['0 pending: The server could not be reached: the connection was reset.', '1 pending: null']);
  const [head, behind] = await readLog(database, library.id);
  expect(Number(head?.nextAttemptAt) - Number(head?.createdAt)).toBeGreaterThan(900_000);
  expect([head?.attempts, head?.settledAt, behind?.nextAttemptAt]).toEqual([1, null, null]);
});

test.each([301, 302, 307, 308])('follows a redirect with status %i as the same signed POST', async (code) => {
  const library = await hook((arrival) => status(arrival.path === '/hook' ? code : 200, { location: '/new' })(arrival));
  await happen(database, videoOf(library), 0);
  await send();
  await untilLog(library, ['0 delivered: HTTP 200']);
  expect(receiver.arrivals.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /hook', 'POST /new']);
  for (const arrival of receiver.arrivals) expect(findForgery(arrival, library.readOnlyKey)).toBeNull();
});

test.each([
  { title: 'to a GET', code: 303, location: '/new', answer: 'HTTP 303', asked: 1 },
  { title: 'in a circle', code: 307, location: '/hook', answer: 'Redirected more than 3 times.', asked: 4 },
  {
    title: 'to a private address',
    code: 307,
    location: 'http://127.0.0.2:9/',
    answer: expect.stringMatching(/127\.0\.0\.2.*loopback/),
    asked: 1,
  },
])('does not follow a redirect $title, and counts the attempt as failed', async ({ code, location, answer, asked }) => {
  const library = await hook(status(code, { location }));
  await happen(database, videoOf(library), 0);
  await send({ retryDelaySec: () => 1_000 });
  await vi.waitFor(
    async () => expect(await readLog(database, library.id)).toMatchObject([{ state: 'pending', lastAnswer: answer }]),
    patient,
  );
  expect(receiver.arrivals.length).toBe(asked);
});

test('rejects a private address with a reason unless it is allowed', async () => {
  const library = await hook(status(200));
  await happen(database, videoOf(library), 0);
  await send({ retryDelaySec: () => 1_000 }, []);
  const refusal = 'The host 127.0.0.1 is not allowed: its address is in the "loopback" range.';
  await vi.waitFor(
    async () => expect(await readLog(database, library.id)).toMatchObject([{ state: 'pending', lastAnswer: refusal }]),
    patient,
  );
  expect(receiver.arrivals).toEqual([]);
});

test('retries a receiver that does not respond within the time limit', async () => {
  let turn = 0;
  const library = await hook((arrival) => {
    turn += 1;
    if (turn > 1) status(200)(arrival);
  });
  await happen(database, videoOf(library), 0);
  await send({ answerLimitMs: 300 });
  await untilLog(library, ['0 delivered: HTTP 200']);
  expect(new Set(receiver.arrivals.map(({ id }) => id)).size).toBe(1);
});

test('judges an endless response by its status', async () => {
  const library = await hook(({ response }) => void response.writeHead(200, { 'content-length': 1e9 }).write('some'));
  await happen(database, videoOf(library), 0);
  await send();
  await untilLog(library, ['0 delivered: HTTP 200']);
});

test('shutdown lets a delivery finish, and leaves a hanging delivery to the next sender', async () => {
  const library = await hook(silent);
  await happen(database, videoOf(library), 0);
  const sender = await send({ leaseSec: 1_000 });
  await vi.waitFor(() => expect(receiver.arrivals.length).toBe(1), patient);
  await sender.close();
  expect(await reportToLog(library)).toEqual(['0 pending: null']);
  const graceful = await send({ graceMs: 20_000 });
  await vi.waitFor(() => expect(receiver.arrivals.length).toBe(2), patient);
  const closed = graceful.close();
  const [, again] = receiver.arrivals;
  if (again !== undefined) status(200)(again);
  await closed;
  expect(await reportToLog(library)).toEqual(['0 delivered: HTTP 200']);
  expect(new Set(receiver.arrivals.map(({ id }) => id)).size).toBe(1);
});

test('removing the webhook URL makes events dead letters, and without a URL no events exist', async () => {
  const [gone, never] = [await hook(status(200)), await addLibrary(database, null)];
  await happen(database, videoOf(gone), 0);
  await happen(database, videoOf(never), 0);
  await setWebhookUrl(database, gone.id, '');
  await send();
  await untilLog(gone, ['0 dead: Not sent: the webhook URL was removed or disabled.']);
  expect(await readLog(database, never.id)).toEqual([]);
});

test('does not announce an event of a transaction that is rolled back', async () => {
  const library = await hook(status(200));
  const key = videoOf(library);
  const undone = database.db.transaction().execute(async (tx) => {
    await announce(key, 0)(tx);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await happen(database, key, 3);
  await send();
  await vi.waitFor(() => expect(arrived()).toEqual([3]), patient);
});

test('the log deletes deliveries after a week and dead letters after 30 days', async () => {
  const library = await hook(status(200));
  await happen(database, videoOf(library), 0, 1, 2, 3);
  const finalize = async (reported: number, state: 'delivered' | 'dead', days: number) =>
    database.db
      .updateTable('webhook_event')
      .set({ state, settled_at: new Date(Date.now() - days * 86_400_000) })
      .where('status', '=', reported)
      .execute();
  await finalize(0, 'delivered', 8);
  await finalize(1, 'delivered', 6);
  await finalize(2, 'dead', 8);
  await finalize(3, 'dead', 31);
  expect(await pruneEvents(database.db)).toBe(false);
  expect((await readLog(database, library.id)).map(({ status: reported }) => reported)).toEqual([1, 2]);
});
