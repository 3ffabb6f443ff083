import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { measureQuotas } from '../../src/catalog/quotas/measure-quotas-store.ts';
import { createQuotaStore } from '../../src/catalog/quotas/quota-store.ts';
import { measureLimits } from '../../src/catalog/quotas/usage-store.ts';
import { measureAllQuotas } from '../../src/jobs/housekeeping/measure-all-quotas.ts';
import { openSendOnlyQueue } from '../../src/jobs/queue/queue.ts';
import type { WebhookSender } from '../../src/jobs/webhooks/webhook-sender.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { captureLog } from '../support/capture-log.ts';
import { sentJobs } from '../support/sent-jobs.ts';
import { findForgery, type Receiver, startReceiver, status } from '../webhooks/receiver.ts';
import { readLog, setWebhookUrl, startSender } from '../webhooks/webhook-sender.ts';

const PATH = '/library/1/quotas';
const patient = { timeout: 30_000, interval: 30 };

let api: TestApi;
let receiver: Receiver;
let sender: WebhookSender | null = null;

beforeAll(async () => {
  [api, receiver] = await Promise.all([startTestApi(), startReceiver()]);
  receiver.script(status(204));
});
beforeEach(async () => {
  await setWebhookUrl(api.database, 1, receiver.url);
  for (const table of ['webhook_line', 'webhook_event', 'library_quota', 'media', 'encoded_month'] as const) {
    await api.database.db.deleteFrom(table).execute();
  }
  await api.database.db.deleteFrom('delivered_hour').execute();
  receiver.arrivals.length = 0;
});
afterEach(async () => {
  await sender?.close();
  sender = null;
});
afterAll(async () => {
  await receiver.stop();
  await api.stop();
  expect(api.faults).toEqual([]);
});

const put = (body: unknown, key = api.first.accountKey) => api.call('PUT', PATH, { key, body });
const get = async () => Object((await api.call('GET', PATH)).body);
const measure = () => measureQuotas(api.database.db, 1);
const statuses = async () => (await readLog(api.database, 1)).map((entry) => entry.status);

async function store(bytes: number): Promise<void> {
  const { db } = api.database;
  await db.deleteFrom('media').execute();
  const row = { library_id: 1, id: newGuid(), type: 'video' as const, title: 'T', state: 'created' as const };
  await db
    .insertInto('media')
    .values({ ...row, storage_bytes: bytes })
    .execute();
}

test('limits are set, kept, removed and shown with the use in percent', async () => {
  const none = { limit: null, mode: null, used: 0, percent: null };
  expect(await get()).toMatchObject({ storageBytes: none, concurrentViewers: none, bandwidthBytesPerMonth: none });
  await store(250);
  const set = await put({
    storageBytes: { limit: 1_000, mode: 'soft' },
    concurrentViewers: { limit: 0, mode: 'hard' },
  });
  expect(set.status).toBe(200);
  expect(await get()).toEqual(set.body);
  expect(await get()).toEqual({
    month: new Date().toISOString().slice(0, 7),
    storageBytes: { limit: 1_000, mode: 'soft', used: 250, percent: 25 },
    encodedMinutesPerMonth: none,
    concurrentLiveStreams: none,
    concurrentViewers: { limit: 0, mode: 'hard', used: 0, percent: 100 },
    bandwidthBytesPerMonth: none,
  });
  await put({ storageBytes: { limit: 100, mode: 'hard' }, concurrentViewers: null });
  expect(await get()).toMatchObject({
    storageBytes: { limit: 100, mode: 'hard', used: 250, percent: 250 },
    concurrentViewers: none,
  });
  await put({ storageBytes: null });
  expect(await get()).toMatchObject({ storageBytes: { ...none, used: 250 } });
});

test.each<[string, unknown]>([
  ['a negative limit', { storageBytes: { limit: -1, mode: 'hard' } }],
  ['a fraction', { storageBytes: { limit: 1.5, mode: 'hard' } }],
  ['a number that is not exact', { storageBytes: { limit: 2 ** 53, mode: 'hard' } }],
  ['a huge number', { storageBytes: { limit: 1e300, mode: 'hard' } }],
  ['a limit in words', { storageBytes: { limit: 'many', mode: 'hard' } }],
  ['a limit of null', { storageBytes: { limit: null, mode: 'hard' } }],
  ['a missing mode', { storageBytes: { limit: 1 } }],
  ['an unknown mode', { storageBytes: { limit: 1, mode: 'medium' } }],
  ['an unknown resource', { storageMegabytes: { limit: 1, mode: 'hard' } }],
  ['an unknown field', { storageBytes: { limit: 1, mode: 'hard', unit: 'MB' } }],
  ['a list', []],
])('%s is refused, and changes nothing', async (_, body) => {
  await put({ storageBytes: { limit: 7, mode: 'soft' } });
  expect((await put(body)).status).toBe(400);
  expect(Object(await get()).storageBytes).toMatchObject({ limit: 7, mode: 'soft' });
});

test('the largest exact number is accepted', async () => {
  expect((await put({ storageBytes: { limit: Number.MAX_SAFE_INTEGER, mode: 'hard' } })).status).toBe(200);
  expect((await get()).storageBytes).toMatchObject({ limit: Number.MAX_SAFE_INTEGER, percent: 0 });
});

test('only the key of the account sets limits, and a library that does not exist has none', async () => {
  expect((await put({ storageBytes: null }, api.first.libraryKey)).status).toBe(401);
  const unknown = await api.call('PUT', '/library/999/quotas', { key: api.first.accountKey, body: {} });
  expect(unknown.status).toBe(404);
  await put({ storageBytes: { limit: 5, mode: 'soft' } });
  await put({ storageBytes: { limit: 6, mode: 'soft' } });
  const { changes } = await api.database.db
    .selectFrom('audit_line')
    .select('changes')
    .where('operation', '=', 'updateQuotas')
    .where('status', '=', 200)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  expect(changes).toEqual([{ field: 'storageBytes.limit', old: '5', new: '6' }]);
});

test('another limit has its own thresholds', async () => {
  await put({ storageBytes: { limit: 1_000, mode: 'soft' } });
  await store(1_000);
  await measure();
  await put({ storageBytes: { limit: 1_040, mode: 'soft' } });
  await measure();
  await store(1_040);
  await measure();
  expect((await statuses()).slice(-2)).toEqual([100, 101]);
});

test('each threshold is announced once per crossing, and again after the use fell by 5 points', async () => {
  const { named } = captureLog(['warn'], { isUnlimited: true });
  sender = await startSender(api.database, { onError: (error) => void api.faults.push(error) });
  await put({ storageBytes: { limit: 1_000, mode: 'hard' } });
  const steps: [bytes: number, announced: number[]][] = [
    [799, []],
    [800, [100]],
    [999, [100]],
    [1_000, [100, 101]],
    [1_200, [100, 101]],
    [960, [100, 101]],
    [1_000, [100, 101]],
    [950, [100, 101]],
    [1_000, [100, 101, 101]],
    [750, [100, 101, 101]],
    [800, [100, 101, 101, 100]],
  ];
  for (const [bytes, announced] of steps) {
    await store(bytes);
    await measure();
    await measure();
    expect([bytes, await statuses()]).toEqual([bytes, announced]);
  }
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(4), patient);
  const { readOnlyKey } = await api.libraries.keys(1);
  expect(receiver.arrivals.map((arrival) => findForgery(arrival, readOnlyKey)).filter(Boolean)).toEqual([]);
  expect(JSON.parse(receiver.arrivals[1]?.body ?? '')).toEqual({
    VideoLibraryId: 1,
    VideoGuid: '00000000-0000-0000-0000-000000000001',
    Status: 101,
    Quota: { Resource: 'storageBytes', Percent: 100, Used: 1_000, Limit: 1_000, Mode: 'hard' },
  });
  expect(named('quota.reached')).toHaveLength(4);
  expect(named('quota.reached')[0]).toMatchObject({ resource: 'storageBytes', percent: 80, used: 800, limit: 1_000 });
});

test('a limit below the present use is announced at once', async () => {
  await store(5_000);
  await put({ storageBytes: { limit: 1_000, mode: 'soft' } });
  expect(await statuses()).toEqual([101]);
  expect((await get()).storageBytes.percent).toBe(500);
});

test('an endpoint gets only the quota events that it chose', async () => {
  const path = '/library/1/webhook-endpoints';
  const made = await api.call('POST', path, { body: { url: receiver.url, events: [101] } });
  expect(made.status).toBe(200);
  await store(800);
  await put({ storageBytes: { limit: 1_000, mode: 'soft' } });
  await store(1_000);
  await measure();
  const nil = '00000000-0000-0000-0000-000000000000';
  const log = await readLog(api.database, 1);
  expect(log.filter(({ endpointId }) => endpointId !== nil).map((entry) => entry.status)).toEqual([101]);
  await api.call('DELETE', `${path}/${Object(made.body).guid}`);
});

test('use of another month does not count', async () => {
  const { db } = api.database;
  await put({
    encodedMinutesPerMonth: { limit: 10, mode: 'hard' },
    bandwidthBytesPerMonth: { limit: 1_000, mode: 'hard' },
  });
  const first = new Date();
  first.setUTCDate(1);
  first.setUTCHours(0, 0, 0, 0);
  const lastMonth = new Date(first.getTime() - 1);
  const day = (time: Date) => time.toISOString().slice(0, 10);
  const whole = '00000000-0000-0000-0000-000000000000';
  for (const [time, amount] of [[lastMonth, 900] as const, [first, 600] as const]) {
    const month = `${day(time).slice(0, 7)}-01`;
    await sql`insert into encoded_month values (1, ${month}, 1, ${amount * 1_000})`.execute(db);
    await sql`insert into delivered_hour values (1, ${whole}, date_trunc('hour', ${time}::timestamptz), ${newGuid()},
      ${amount})`.execute(db);
  }
  await measure();
  expect(await get()).toMatchObject({
    encodedMinutesPerMonth: { used: 10, percent: 100 },
    bandwidthBytesPerMonth: { used: 600, percent: 60 },
  });
  expect(await statuses()).toEqual([101]);
  // In the next month, the counters of this one do not count either.
  await sql`delete from encoded_month where month < ${day(first)}`.execute(db);
  await sql`update encoded_month set month = month - interval '1 month'`.execute(db);
  await measure();
  expect((await get()).encodedMinutesPerMonth).toMatchObject({ used: 0, percent: 0 });
  await sql`update encoded_month set month = month + interval '1 month'`.execute(db);
  await measure();
  expect(await statuses()).toEqual([101, 101]);
});

test('the statistics and the quotas have the same encoded minutes', async () => {
  const { db } = api.database;
  await sql`insert into encoded_month values (1, date_trunc('month', now() at time zone 'UTC'), 7, 59_999)
    on conflict do nothing`.execute(db);
  const usage = await api.call('GET', '/library/1/statistics/usage', { key: api.first.libraryKey });
  const { months, forecast } = Object(usage.body);
  const { used } = (await get()).encodedMinutesPerMonth;
  expect({ used, month: months.at(-1).encodedMinutes }).toEqual({ used, month: used });
  expect(Number.isInteger(forecast.encodedMinutes)).toBe(true);
});

test('a worker measures all libraries with limits, four times a minute, and skips deleted ones', async () => {
  const { db, pool } = api.database;
  const queue = await openSendOnlyQueue({ pool, onError: (error) => void api.faults.push(error) });
  onTestFinished(() => queue.close());
  const { library } = await api.libraries.create({ name: 'third', pullZoneName: null, libraryKey: null });
  await setWebhookUrl(api.database, library.id, receiver.url);
  await createQuotaStore(db).change(library.id, { encodedMinutesPerMonth: { limit: 1, mode: 'soft' } });
  await put({ storageBytes: { limit: 1_000, mode: 'soft' } });
  await store(2_000);
  const insert = sql`
    insert into encoded_month values (${library.id}, date_trunc('month', now() at time zone 'UTC'), 0, 60000)`;
  await insert.execute(db);
  const run = (payload: { isLater?: boolean }) =>
    measureAllQuotas.run(payload, { db, queue }, AbortSignal.timeout(30_000));
  await run({ isLater: true });
  expect(await sentJobs(db, measureAllQuotas.name)).toEqual([]);
  await run({});
  // A second worker that measures in the same minute adds nothing.
  await run({});
  expect(await sentJobs(db, measureAllQuotas.name)).toEqual(
    [15, 30, 45].map((delay) => ({ payload: { isLater: true }, delay })),
  );
  expect(await statuses()).toEqual([101]);
  expect((await readLog(api.database, library.id)).map(({ status }) => status)).toEqual([101]);
  const measured = async () => (await measureLimits(db)).map(({ libraryId }) => libraryId).sort((a, b) => a - b);
  expect(await measured()).toEqual([1, library.id]);
  await api.libraries.remove(library.id);
  expect(await measured()).toEqual([1]);
  await measureQuotas(db, library.id);
  await db.deleteFrom('library').where('id', '=', library.id).execute();
  const left = await db.selectFrom('library_quota').select('library_id').execute();
  expect(left.map((row) => row.library_id)).toEqual([1]);
});
