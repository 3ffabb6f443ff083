import { afterAll, beforeAll, expect, test } from 'vitest';
import { createShieldEventStore } from '../../src/catalog/shield/events/shield-event-store.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { makeShieldEvent } from '../support/shield-events.ts';

const ZONE = 1;
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const atMs = Date.now() - 10_000;
  const event = (index: number, change: object, details: object) => ({
    ...makeShieldEvent(ZONE, atMs + index),
    ...change,
    log: JSON.stringify({ Message: 'Token expired', Url: '/a', RemoteIp: '192.0.2.*', Headers: [], ...details }),
  });
  const scan = [{ Name: 'user-agent', Value: 'Nikto/2 "a", b' }];
  await createShieldEventStore(api.database.db).append([
    ...Array.from({ length: 1_200 }, (_, index) => event(index, { ruleId: '10102' }, {})),
    event(
      2_000,
      { ruleId: '930130', ruleGroup: 'ATTACK-LFI', status: 'Logged' },
      { Url: '/.env', RemoteIp: '2001:db8:1:2::/64', Headers: scan },
    ),
    event(
      2_001,
      { ruleId: '942270', ruleGroup: 'ATTACK-SQLI', country: 'NL', severity: 'CRITICAL', method: 'POST' },
      { Url: '=cmd|x', Message: 'SQL 100% union' },
    ),
    makeShieldEvent(ZONE + 1),
  ]);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = async (what: string, body: object, key = api.first.accountKey) => {
  const window = { from: Date.now() - 3_600_000, to: Date.now() + 1_000 };
  const answer = await api.call('POST', `/shield/event-logs/${ZONE}/${what}`, { key, body: { ...window, ...body } });
  return { ...answer, body: Object(answer.body) };
};
const rulesOf = async (body: object) =>
  (await call('search', body)).body.rows.map(({ fields }: { fields: { ruleId: string } }) => fields.ruleId);
const filter = (field: string, op: string, ...value: string[]) => ({ filters: [{ field, op, value }] });

test('returns events newest first, in pages, with a total', async () => {
  const { body } = await call('search', { pageSize: 500, page: 2 });
  expect([body.total, body.totalPages, body.page, body.rows.length, body.groups]).toEqual([1_202, 3, 2, 202, null]);
  expect(await rulesOf({ pageSize: 3 })).toEqual(['942270', '930130', '10102']);
});

test.each([
  ['text in a rule', { query: '93013' }, ['930130']],
  ['text in a URL', { query: '.ENV' }, ['930130']],
  ['text with an SQL wildcard', { query: '100% u' }, ['942270']],
  ['a field', filter('ruleId', 'in', '930130', '942270'), ['942270', '930130']],
  ['the action', filter('ACTION', 'eq', 'Logged'), ['930130']],
  ['the severity', filter('severity', 'in', 'CRITICAL', 'ERROR'), ['942270']],
  ['the method', filter('method', 'eq', 'POST'), ['942270']],
  ['an agent', filter('ua', 'contains', 'nikto'), ['930130']],
  ['a wildcard', filter('url', 'wildcard', '/.*'), ['930130']],
  ['an IPv6 network', filter('ip', 'cidr', '2001:db8::/32'), ['930130']],
  ['an IPv4 network', { ...filter('ip', 'cidr', '192.0.2.0/24'), pageSize: 1 }, ['942270']],
  [
    'two filters',
    { filters: [...filter('country', 'eq', 'NL').filters, ...filter('feature', 'wildcard', 'ATTACK-*').filters] },
    ['942270'],
  ],
])('finds events by %s', async (_, body, rules) => {
  expect(await rulesOf(body)).toEqual(rules);
});

test('groups events, and returns the largest group first', async () => {
  const { body } = await call('search', { groupBy: ['country', 'ruleId'], pageSize: 2 });
  expect([body.total, body.totalPages, body.rows]).toEqual([3, 2, null]);
  expect(body.groups[0]).toMatchObject({ key: { country: 'DE', ruleId: '10102' }, count: 1_200 });
  expect(body.groups[0].lastSeen).toBeGreaterThan(body.groups[0].firstSeen);
});

test('groups events by every field in one request, including severity and method', async () => {
  const fields = ['feature', 'ruleId', 'ip', 'ja4', 'ua', 'url', 'asn', 'country', 'action', 'severity', 'method'];
  const { body } = await call('search', { groupBy: fields });
  expect(body.groups).toHaveLength(3);
  const { body: methods } = await call('search', { groupBy: ['severity', 'method'] });
  expect(methods.groups).toMatchObject([
    { key: { severity: 'WARNING', method: 'GET' }, count: 1_201 },
    { key: { severity: 'CRITICAL', method: 'POST' }, count: 1 },
  ]);
});

test('exports every event once, oldest first, and escapes cells that a spreadsheet would evaluate', async () => {
  const { status, text, headers } = await call('export', {});
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toBe('attachment; filename="events.csv"');
  const lines = text.trimEnd().split('\r\n');
  expect([
    lines.length,
    lines[0]?.split(',')[0],
    new Set(lines.slice(1).map((line) => line.split(',')[1])).size,
  ]).toEqual([1_203, 'timestamp', 1_202]);
  expect(lines.at(-1)).toContain(",'=cmd|x,");
  expect(lines.at(-2)).toContain('"Nikto/2 ""a"", b"');
});

test('an export of statistics has its own file name', async () => {
  const { libraryId, libraryKey } = api.first;
  const { status, headers } = await api.call('GET', `/library/${libraryId}/statistics/export`, { key: libraryKey });
  expect([status, headers.get('content-disposition')]).toEqual([200, 'attachment; filename="statistics.csv"']);
});

test.each([
  ['a window of four days ago', { from: Date.now() - 96 * 3_600_000 }],
  ['a window that ends before it begins', { to: 1 }],
  ['an unknown field', filter('colour', 'eq', 'red')],
  ['an unknown operator', filter('ip', 'like', 'a')],
  ['an invalid network', filter('ip', 'cidr', 'home')],
])('rejects %s', async (_, body) => {
  expect(await call('search', body)).toMatchObject({ status: 400, body: { status: 400 } });
});

test('rejects a library key for both event operations', async () => {
  for (const what of ['search', 'export']) expect((await call(what, {}, api.first.libraryKey)).status).toBe(401);
});
