import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuditStore } from '../../src/catalog/audit/audit-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { cookieOf, join, PASSWORD, pageHeaders } from '../support/people.ts';

let service: TestApi;
beforeAll(async () => {
  service = await startTestApi();
});
afterAll(async () => {
  expect(service.faults).toEqual([]);
  await service.stop();
});

type Line = { Id: number; Key: string; Operation: string; LibraryId: number | null; Targets: Record<string, string> };
const read = (path: string, headers?: Record<string, string>) =>
  service.call('GET', path, headers === undefined ? { key: service.first.accountKey } : { key: null, headers });
const list = async (query: string): Promise<Line[]> => Object((await read(`/audit?${query}`)).body).Items;
const operations = async (query: string) => (await list(query)).map(({ Operation }) => Operation);

test('lists sign-ins, people, keys and providers of the whole account, by kind and name', async () => {
  const ada = await join(service, { role: 'viewer', email: 'ada@example.com' });
  const given = { email: ada.email, password: PASSWORD };
  const body = { key: service.first.libraryKey };
  const headers = pageHeaders(service);
  const signedIn = await service.call('POST', '/dashboard/session', { key: null, headers, body: given });
  await service.call('POST', '/dashboard/session', { key: null, headers, body });
  await service.call('DELETE', '/dashboard/session', { key: null, headers: pageHeaders(service, cookieOf(signedIn)) });
  await service.call('POST', '/library/1/videos', { body: { title: 'A video' } });
  const key = { key: service.first.accountKey, body: { Scope: 'read', Label: 'A key' } };
  expect((await service.call('POST', '/videolibrary/1/keys', key)).status).toBe(201);
  expect(await operations('kind=sign-in')).toEqual(['signOut', 'signIn', 'signIn', 'signIn']);
  expect((await list('kind=sign-in')).map(({ Targets }) => Targets.method)).toEqual([
    undefined,
    'key',
    'password',
    'password',
  ]);
  expect(await operations('kind=people')).toEqual(['joinAccount', 'invitePerson']);
  expect(await operations('kind=keys')).toEqual(['createKey']);
  expect(await operations('kind=other')).toEqual(['createVideo']);
  expect(await operations('who=ADA@example.com')).toEqual(['signOut', 'signIn', 'signIn', 'joinAccount']);
  expect(await operations('libraryId=1&operation=createVideo')).toEqual(['createVideo']);
  expect(await operations(`from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
  expect((await read('/audit?from=2026-02-02&to=2026-02-01')).status).toBe(400);
});

test('names the objects of all libraries, and omits searches and exports of event logs', async () => {
  const account = { key: service.first.accountKey };
  const made = Object((await service.call('POST', '/library/1/videos', { body: { title: 'A named video' } })).body);
  const collection = { body: { name: 'A named collection' } };
  await service.call('POST', '/library/1/collections', collection);
  const window = { from: Date.now() - 60_000, to: Date.now() };
  const search = { ...account, body: window };
  expect((await service.call('POST', '/shield/event-logs/1/search', search)).status).toBe(200);
  expect((await service.call('POST', '/shield/event-logs/1/export', search)).status).toBe(200);
  const items = Object((await read('/audit?perPage=2')).body).Items;
  expect(items).toMatchObject([
    { Operation: 'createCollection', Object: 'A named collection', ObjectKind: 'collection', LibraryId: 1 },
    { Operation: 'createVideo', Object: 'A named video', ObjectKind: 'video', ObjectId: made.guid, LibraryId: 1 },
  ]);
});

test('records the changes of people and of their own account', async () => {
  const { id, headers } = await join(service, { role: 'viewer', email: 'kim@example.com' });
  const own = { name: 'Kim', language: 'de' };
  const changed = await service.call('POST', '/dashboard/account', { key: null, headers, body: own });
  expect(changed.status).toBe(204);
  const key = service.first.accountKey;
  await service.call('POST', `/people/${id}`, { key, body: { Role: 'editor' } });
  await service.call('DELETE', `/people/${id}`, { key });
  const items: { Operation: string; Changes: { Field: string; Old: string | null; New: string | null }[] }[] = Object(
    (await read('/audit?perPage=5')).body,
  ).Items;
  expect(
    items.map(({ Operation, Changes }) => [
      Operation,
      ...Changes.map(({ Field, Old, New }) => `${Field}: ${Old} → ${New}`),
    ]),
  ).toEqual([
    [
      'deletePerson',
      'Email: kim@example.com → null',
      'Name: Kim → null',
      'Language: de → null',
      'Status: active → null',
      'Role: editor → null',
      'LibraryRoles:  → null',
    ],
    ['updatePerson', 'Role: viewer → editor'],
    ['updateOwnAccount', 'Name: Person kim@example.com → Kim', 'Language: null → de'],
    ['signIn'],
    ['joinAccount'],
  ]);
});

test('pages continue before the last entry', async () => {
  const all = await list('');
  const first = await read('/audit?perPage=3');
  expect(first.body).toMatchObject({ HasMoreItems: true, Items: all.slice(0, 3) });
  expect(await list(`before=${all[2]?.Id}`)).toEqual(all.slice(3));
});

test('the CSV file has every entry that matches', async () => {
  const { text, headers } = await read('/audit/export');
  expect(headers.get('content-disposition')).toContain('audit.csv');
  const lines = text.trim().split('\r\n');
  expect(lines[0]).toBe('Date,Key,Scope,LibraryId,Operation,Targets,Status,Ip,RequestId,Changes');
  expect(lines).toHaveLength(1 + (await list('')).length);
  expect((await read('/audit/export?kind=keys')).text.trim().split('\r\n')).toHaveLength(2);
});

test('only owners and administrators of the account may read it', async () => {
  const statuses: Record<string, number> = {};
  for (const role of ['owner', 'admin', 'editor', 'viewer'] as const) {
    const { headers } = await join(service, { role });
    statuses[role] = (await read('/audit', headers)).status;
  }
  const { headers } = await join(service, { libraries: [{ LibraryId: 1, Role: 'owner' }], email: 'lib@example.com' });
  statuses.library = (await read('/audit/export', headers)).status;
  expect(statuses).toEqual({ owner: 200, admin: 200, editor: 403, viewer: 403, library: 403 });
  expect((await service.call('GET', '/audit')).status).toBe(401);
});

/** Stores entries of one library, with a name that is a formula. */
async function store(libraryId: number, operation: string, count: number): Promise<void> {
  const { write } = createAuditStore(service.database.db, (error) => {
    throw error;
  });
  const line = {
    libraryId,
    pullZoneId: null,
    keyName: '=1+1',
    scope: 'write',
    operation,
    status: 200,
    ip: '127.0.0.1',
    targets: {},
    changes: [],
  };
  await Promise.all(Array.from({ length: count }, () => write({ ...line, requestId: newGuid() })));
}

test('filters by library and by the end of a period', async () => {
  await store(4_711, 'first', 1);
  await store(4_712, 'second', 1);
  expect(await operations('who=%3D1%2B1')).toEqual(['second', 'first']);
  expect(await operations('libraryId=4711')).toEqual(['first']);
  const [first] = Object((await read('/audit?libraryId=4711')).body).Items;
  const at = new Date(`${first.Date}Z`).getTime();
  const until = (ms: number) => operations(`libraryId=4711&to=${new Date(ms).toISOString()}`);
  expect([await until(at), await until(at + 1_000)]).toEqual([[], ['first']]);
});

test('the CSV file continues after the first 1,000 entries, and escapes formulas', async () => {
  await store(4_713, '@many', 2_001);
  const [header = '', ...lines] = (await read('/audit/export?libraryId=4713')).text.trim().split('\r\n');
  const place = header.split(',').indexOf('RequestId');
  const cells = lines.map((line) => line.split(','));
  expect(new Set(cells.map((line) => line[place])).size).toBe(2_001);
  expect(lines).toHaveLength(2_001);
  expect(new Set(cells.map(([, key, , , operation]) => `${key} ${operation}`))).toEqual(new Set(["'=1+1 '@many"]));
});
