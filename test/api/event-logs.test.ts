import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShieldEventStore, dayOf } from '../../src/catalog/shield/events/shield-event-store.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { makeShieldEvent, wordDate } from '../support/shield-events.ts';

const DAY_MS = 24 * 3600 * 1000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.stop());

type Page = {
  logs: { logId: string; timestamp: number; log: string; labels: Record<string, string> }[];
  hasMoreData: boolean;
  continuationToken: string;
  startToken: string;
  errorResponse: object;
};

async function read(path: string, key: string | null = api.first.accountKey) {
  const { status, body } = await api.call('GET', `/shield/event-logs/${path}`, { key });
  return { status, body: body as Page };
}

test('paging from the oldest event returns each event once, even if events are written during paging', async () => {
  const store = createShieldEventStore(api.database.db);
  const events = Array.from({ length: 230 }, () => makeShieldEvent(1));
  await store.append(events);
  await store.append([makeShieldEvent(2)]);
  const today = wordDate(dayOf(Date.now()));
  const found: string[] = [];
  const starts = new Set<string>();
  for (let token = ''; ; ) {
    const { status, body } = await read(`1/${today}${token === '' ? '' : `/${encodeURIComponent(token)}`}`);
    expect([status, body.logs.length <= 100]).toEqual([200, true]);
    found.push(...body.logs.map(({ logId }) => logId));
    starts.add(body.startToken);
    if (!body.hasMoreData) {
      expect(body.continuationToken).toBe('');
      expect((await read(`1/${today}/${body.startToken}`)).body.logs).toEqual(body.logs);
      break;
    }
    token = body.continuationToken;
    if (found.length === 100) {
      await store.append([makeShieldEvent(1)]);
      events.push(makeShieldEvent(1));
    }
  }
  expect(found.slice(0, 230)).toEqual(events.slice(0, 230).map(({ logId }) => logId));
  expect([found.length, starts.size]).toEqual([231, 3]);
});

test('treats an empty last path segment as the first page, and returns complete labels', async () => {
  await createShieldEventStore(api.database.db).append([makeShieldEvent(2)]);
  const { status, body } = await read(`2/${wordDate(dayOf(Date.now()))}/`);
  expect(status).toBe(200);
  expect(body.logs[0]?.labels).toEqual({
    ...{ asn: '64500', country: 'DE', ruleId: '10101', severity: 'WARNING', method: 'GET' },
    ...{ ruleGroup: 'TOKEN', status: 'Blocked', serverZone: 'TEST' },
  });
});

test.each([
  ['three days ago', () => wordDate(dayOf(Date.now() - 3 * DAY_MS))],
  ['tomorrow', () => wordDate(dayOf(Date.now() + DAY_MS))],
])('rejects %s with 401 and the message that clients expect', async (_, day) => {
  const { status, body } = await read(`1/${day()}`);
  expect([status, body]).toEqual([
    401,
    {
      ...{ logs: null, hasMoreData: false, continuationToken: null, startToken: null },
      errorResponse: {
        ...{ statusCode: 401, success: false },
        message: 'You can only view the past 3 days (72 hours) of Event Logs.',
        errorKey: 'invalid_datetime_window.event_logs',
      },
    },
  ]);
});

test.each([
  ['2026-11-24', 'another format'],
  ['13-01-2026', 'a nonexistent month'],
  ['02-30-2026', 'a nonexistent day'],
  ['today', 'a word'],
])('rejects a date of %s (%s) with 400 and states the expected format', async (date) => {
  const { status, body } = await read(`1/${date}`);
  expect([status, body]).toEqual([
    400,
    {
      ...{ logs: null, hasMoreData: false, continuationToken: null, startToken: null },
      errorResponse: {
        ...{ statusCode: 400, success: false, errorKey: 'invalid_date.event_logs' },
        message: expect.stringMatching(/MM-dd-yyyy.*got/),
      },
    },
  ]);
});

test.each(['99', '-1', 'x', '1e0', '99999999999999999999'])(
  'returns 404 for an unknown zone (%s) on every path',
  async (zone) => {
    const { status, body } = await read(`${zone}/${wordDate(dayOf(Date.now()))}`);
    expect([status, body.errorResponse]).toMatchObject([404, { statusCode: 404, success: false }]);
    const window = { from: Date.now() - 1_000, to: Date.now() };
    for (const what of ['search', 'export']) {
      const path = `/shield/event-logs/${zone}/${what}`;
      expect((await api.call('POST', path, { key: api.first.accountKey, body: window })).status).toBe(404);
    }
  },
);

test('returns events of the two previous days, and rejects library keys and page tokens of other zones', async () => {
  for (const days of [1, 2]) expect((await read(`1/${wordDate(dayOf(Date.now() - days * DAY_MS))}`)).status).toBe(200);
  const today = wordDate(dayOf(Date.now()));
  expect((await read(`1/${today}`, api.first.libraryKey)).status).toBe(401);
  const { body } = await read(`1/${today}`);
  expect((await read(`2/${today}/${body.startToken}`)).status).toBe(401);
});

test('concurrent writers never insert an event before one that a reader has already received', async () => {
  const store = createShieldEventStore(api.database.db);
  const day = dayOf(Date.now());
  const seen: number[] = [];
  let isWriting = true;
  const writing = Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let round = 0; round < 8; round += 1) await store.append([makeShieldEvent(11), makeShieldEvent(11)]);
    }),
  ).finally(() => {
    isWriting = false;
  });
  const readOn = async () => {
    const events = await store.read({ zoneId: 11, day, afterSeq: seen.at(-1) ?? 0 }, 1_000);
    seen.push(...events.map(({ seq }) => seq));
  };
  while (isWriting) await readOn();
  await writing;
  await readOn();
  expect(seen).toHaveLength(64);
});

test('deletes only expired days', async () => {
  const store = createShieldEventStore(api.database.db);
  const old = Date.now() - 5 * DAY_MS;
  await store.append([makeShieldEvent(12, old), makeShieldEvent(12)]);
  await store.dropBefore(dayOf(Date.now() - 2 * DAY_MS));
  const count = async (day: string) => (await store.read({ zoneId: 12, day, afterSeq: 0 }, 10)).length;
  expect([await count(dayOf(old)), await count(dayOf(Date.now()))]).toEqual([0, 1]);
});
