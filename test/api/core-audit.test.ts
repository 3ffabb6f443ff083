import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AuditLine, chainHash } from '../../src/catalog/audit/audit-line.ts';
import { createAuditStore, pruneAudit } from '../../src/catalog/audit/audit-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let accountKey: string;
beforeAll(async () => {
  api = await startTestApi();
  accountKey = String(api.first.accountKey);
});
afterAll(() => api.stop());

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: accountKey, ...options });
const audit = async (id: number, query = '') => Object((await call('GET', `/videolibrary/${id}/audit${query}`)).body);
const createLibrary = async () => Object((await call('POST', '/videolibrary', { body: { Name: 'Audited' } })).body);

test('records every write to a library through both APIs with actor, action, target, result and time', async () => {
  const { Id, ApiKey, ReadOnlyApiKey, PullZoneId } = await createLibrary();
  const made = await call('POST', `/library/${Id}/videos`, { key: ApiKey, body: { title: 'T' } });
  const { guid } = Object(made.body);
  await call('GET', `/library/${Id}/videos`, { key: ApiKey });
  await call('DELETE', `/library/${Id}/videos/${guid}`, { key: ApiKey });
  await call('DELETE', `/library/${Id}/videos/${guid}`, { key: ApiKey });
  await call('POST', `/videolibrary/${Id}`, { body: { EncodingTier: 9 } });
  await call('POST', `/pullzone/${PullZoneId}/resetSecurityKey`);
  await call('POST', `/videolibrary/resetApiKey?id=${Id}`);
  await call('POST', `/library/${Id}/videos`, { key: 'wrong', body: { title: 'T' } });
  await call('POST', `/library/${Id}/videos`, { key: ReadOnlyApiKey, body: { title: 'T' } });
  const { Items, TotalItems } = await audit(Id);
  const account = { Scope: 'account', Key: expect.stringMatching(/^[0-9a-f-]{36}$/) };
  const library = { Scope: 'write', Key: 'ApiKey' };
  expect(Items).toMatchObject([
    { Scope: 'read', Key: 'ReadOnlyApiKey', Operation: 'createVideo', Status: 403 },
    { ...account, Operation: 'resetApiKeyByQuery', Targets: { id: String(Id) }, Status: 204 },
    { ...account, Operation: 'resetSecurityKey', Targets: { id: String(PullZoneId) }, Status: 204 },
    { ...account, Operation: 'updateLibrary', Targets: { id: String(Id) }, Status: 400 },
    { ...library, Operation: 'deleteVideo', Targets: { videoId: guid }, Status: 404 },
    { ...library, Operation: 'deleteVideo', Targets: { videoId: guid }, Status: 200 },
    { ...library, Operation: 'createVideo', Targets: { libraryId: String(Id), guid }, Status: 200 },
    { ...account, Operation: 'createLibrary', Targets: { id: String(Id) }, Status: 201 },
  ]);
  expect(TotalItems).toBe(8);
  expect(Items[6]).toMatchObject({ RequestId: made.headers.get('x-request-id'), Ip: '127.0.0.1' });
  expect(Math.abs(Date.parse(`${Items[0].Date}Z`) - Date.now())).toBeLessThan(60_000);
});

test('returns the audit log in pages, separately for each library', async () => {
  const [library, other] = [await createLibrary(), await createLibrary()];
  for (let made = 0; made < 4; made += 1) {
    await call('POST', `/library/${library.Id}/collections`, { key: library.ApiKey, body: { name: 'C' } });
  }
  expect(await audit(library.Id, '?page=1&perPage=3')).toMatchObject({
    CurrentPage: 1,
    TotalItems: 5,
    HasMoreItems: true,
  });
  const last = await audit(library.Id, '?page=2&perPage=3');
  expect(last.Items.map(({ Operation }: { Operation: string }) => Operation)).toEqual([
    'createCollection',
    'createLibrary',
  ]);
  expect(last.HasMoreItems).toBe(false);
  expect(await audit(other.Id)).toMatchObject({ TotalItems: 1 });
});

test('names keys and objects, and filters by key, operation and result', async () => {
  const { Id, ApiKey } = await createLibrary();
  const body = { Label: 'Website', Scope: 'write' };
  const made = Object((await call('POST', `/videolibrary/${Id}/keys`, { body })).body);
  const { guid } = Object(
    (await call('POST', `/library/${Id}/videos`, { key: made.Key, body: { title: 'A weir' } })).body,
  );
  await call('POST', `/library/${Id}/videos/${guid}`, { key: ApiKey, body: { title: 'The weir' } });
  await call('DELETE', `/library/${Id}/videos/0190a0a0-0000-7000-8000-000000000000`, { key: made.Key });
  const { Items } = await audit(Id);
  expect(Items).toMatchObject([
    { Operation: 'deleteVideo', Who: 'Website', WhoKind: 'key', Object: null, ObjectKind: null, ObjectId: null },
    { Operation: 'updateVideo', Who: 'ApiKey', Object: 'The weir', ObjectKind: 'video', ObjectId: guid },
    { Operation: 'createVideo', Who: 'Website', Object: 'The weir', ObjectKind: 'video', ObjectId: guid },
    { Operation: 'createKey', Object: 'Website', ObjectKind: 'key' },
    { Operation: 'createLibrary', Object: null },
  ]);
  const operations = async (query: string) =>
    (await audit(Id, query)).Items.map(({ Operation }: { Operation: string }) => Operation);
  expect(await operations(`?key=${Items[0].Key}`)).toEqual(['deleteVideo', 'createVideo']);
  expect(await operations('?operation=updateVideo,createKey')).toEqual(['updateVideo', 'createKey']);
  expect(await operations('?result=failed')).toEqual(['deleteVideo']);
  expect((await audit(Id, '?result=done')).TotalItems).toBe(4);
  const share = await call('POST', `/library/${Id}/videos/${guid}/shares`, { key: made.Key });
  expect(share.status).toBe(200);
  const shares = Object((await call('GET', `/library/${Id}/videos/${guid}/shares`, { key: ApiKey })).body);
  expect(shares.items[0].createdBy).toBe('Website');
});

test('names objects of the same library, but not those of another one', async () => {
  const [own, other] = [await createLibrary(), await createLibrary()];
  const make = async (path: string, body: object) => Object((await call('POST', path, { body })).body);
  const url = 'https://example.com/';
  const { guid: video } = await make(`/library/${own.Id}/videos`, { title: 'A video' });
  const { guid: stream } = await make(`/library/${own.Id}/live`, { title: 'A stream' });
  const { guid: collection } = await make(`/library/${own.Id}/collections`, { name: 'A collection' });
  const { guid: hook } = await make(`/library/${own.Id}/webhook-endpoints`, { name: 'An endpoint', url });
  const { Id: key } = await make(`/videolibrary/${own.Id}/keys`, { Label: 'A key', Scope: 'read' });
  for (const { Id } of [other, own]) {
    await call('POST', `/library/${Id}/videos/${video}`, { body: { title: 'A video' } });
    await call('PUT', `/library/${Id}/live/${stream}`, { body: { title: 'A stream' } });
    await call('POST', `/library/${Id}/collections/${collection}`, { body: { name: 'A collection' } });
    await call('POST', `/library/${Id}/webhook-endpoints/${hook}`, { body: { name: 'An endpoint' } });
    await call('POST', `/library/${Id}/webhooks/test?endpoint=${hook}`);
  }
  await call('DELETE', `/videolibrary/${other.Id}/keys/${key}`);
  const names = async (id: number) =>
    (await audit(id)).Items.map((line: { Operation: string; Object: string | null }) => [line.Operation, line.Object]);
  const foreign = ['deleteKey', 'testWebhook', 'updateWebhookEndpoint', 'updateCollection', 'updateLiveStream'];
  expect(await names(other.Id)).toEqual([...foreign, 'updateVideo', 'createLibrary'].map((name) => [name, null]));
  expect(await names(own.Id)).toEqual([
    ['testWebhook', 'An endpoint'],
    ['updateWebhookEndpoint', 'An endpoint'],
    ['updateCollection', 'A collection'],
    ['updateLiveStream', 'A stream'],
    ['updateVideo', 'A video'],
    ['createKey', 'A key'],
    ['createWebhookEndpoint', 'An endpoint'],
    ['createCollection', 'A collection'],
    ['createLiveStream', 'A stream'],
    ['createVideo', 'A video'],
    ['createLibrary', null],
  ]);
  const { Targets } = (await audit(own.Id)).Items[0];
  expect(Targets).toMatchObject({ endpointId: hook });
});

test('a caller cannot choose another object for an operation by its query', async () => {
  const { Id } = await createLibrary();
  const body = { name: 'An endpoint', url: 'https://example.com/' };
  const { guid: hook } = Object((await call('POST', `/library/${Id}/webhook-endpoints`, { body })).body);
  const made = await call('POST', `/library/${Id}/videos?endpoint=${hook}`, { body: { title: 'A video' } });
  const { guid } = Object(made.body);
  for (const query of [`endpoint=${hook}`, `endpointId=${hook}`, `endpoint=${hook}&endpoint=${hook}`]) {
    await call('POST', `/library/${Id}/videos/${guid}?${query}`, { body: { title: 'A video' } });
    await call('DELETE', `/library/${Id}/videos/${newGuid()}?${query}`);
  }
  const { Items } = await audit(Id, '?operation=createVideo,updateVideo,deleteVideo');
  expect(Items.map((line: { Object: string | null; ObjectId: string | null }) => [line.Object, line.ObjectId])).toEqual(
    [
      ...Array.from({ length: 3 }, () => [
        [null, null],
        ['A video', guid],
      ]).flat(),
      ['A video', guid],
    ],
  );
  for (const { Targets } of Items) expect(Object.keys(Targets)).not.toContain('endpointId');
});

test('records the old and new values of changed fields, without secrets', async () => {
  const { Id, ApiKey, PullZoneId } = await createLibrary();
  const inLibrary = async (method: string, path: string, body?: object) =>
    Object((await call(method, `/library/${Id}${path}`, { key: ApiKey, ...(body !== undefined && { body }) })).body);
  const video = `/videos/${(await inLibrary('POST', '/videos', { title: 'Weir' })).guid}`;
  const collection = `/collections/${(await inLibrary('POST', '/collections', { name: 'Mills' })).guid}`;
  const stream = `/live/${(await inLibrary('POST', '/live', { title: 'Flood' })).guid}`;
  const sent = { url: 'https://a.example/hook?token=secret-1' };
  const endpoint = `/webhook-endpoints/${(await inLibrary('POST', '/webhook-endpoints', sent)).guid}`;
  const key = Object((await call('POST', `/videolibrary/${Id}/keys`, { body: { Label: 'Web', Scope: 'read' } })).body);
  await inLibrary('POST', video, { title: 'Old weir', metaTags: [{ property: 'a', value: 'b' }] });
  await inLibrary('POST', video, { title: 'Old weir', metaTags: [{ property: 'a', value: 'b' }] });
  await inLibrary('POST', collection, { name: 'Water mills' });
  await inLibrary('PUT', stream, { public: false });
  await inLibrary('POST', endpoint, { enabled: false, url: 'https://a.example/hook?token=secret-2' });
  await call('POST', `/videolibrary/${Id}`, { body: { Name: 'Rivers', PlayerKeyColor: '#123456' } });
  await call('POST', `/pullzone/${PullZoneId}`, { body: { BlockedCountries: ['AQ'] } });
  await call('POST', `/pullzone/${PullZoneId}/resetSecurityKey`);
  await call('POST', `/videolibrary/${Id}`, { body: { Name: ' ' } });
  await call('DELETE', `/videolibrary/${Id}/keys/${key.Id}`);
  await inLibrary('DELETE', endpoint);
  await inLibrary('DELETE', stream);
  await inLibrary('DELETE', collection);
  await inLibrary('DELETE', video);
  const { Items } = await audit(Id);
  type Line = { Operation: string; Changes: { Field: string; Old: string | null; New: string | null }[] };
  const lines = Items.toReversed().map(({ Operation, Changes }: Line) => [
    Operation,
    ...Changes.map(({ Field, Old, New }) => `${Field}: ${Old} → ${New}`),
  ]);
  expect(lines).toEqual([
    ['createLibrary'],
    ['createVideo'],
    ['createCollection', 'name: null → Mills'],
    ['createLiveStream'],
    ['createWebhookEndpoint', 'name: null → ', 'url: null → https://a.example/hook?token=***', 'enabled: null → true'],
    ['createKey', 'Label: null → Web', 'Scope: null → read'],
    ['updateVideo', 'title: Weir → Old weir', 'metaTags:  → [{"property":"a","value":"b"}]'],
    ['updateVideo'],
    ['updateCollection', 'name: Mills → Water mills'],
    ['updateLiveStream', 'public: true → false'],
    [
      'updateWebhookEndpoint',
      'url: https://a.example/hook?token=*** → https://a.example/hook?token=***',
      'enabled: true → false',
    ],
    ['updateLibrary', 'Name: Audited → Rivers', 'PlayerKeyColor: #ff5f1f → #123456'],
    ['updatePullZone', 'BlockedCountries:  → AQ'],
    ['resetSecurityKey', 'ZoneSecurityKey: *** → ***'],
    ['updateLibrary'],
    ['deleteKey', 'Label: Web → null', 'Scope: read → null'],
    ['deleteWebhookEndpoint', 'name:  → null', 'url: https://a.example/hook?token=*** → null', 'enabled: false → null'],
    [
      'deleteLiveStream',
      ...['title: Flood → null', 'public: false → null', 'dvrEnabled: false → null', 'recordVod: false → null'],
    ],
    ['deleteCollection', 'name: Water mills → null'],
    ['deleteVideo', 'title: Old weir → null'],
  ]);
});

test('the values of concurrent changes form one sequence', async () => {
  const { Id, ApiKey } = await createLibrary();
  const given = { key: ApiKey, body: { name: '0' } };
  const { guid } = Object((await call('POST', `/library/${Id}/collections`, given)).body);
  const rename = (name: string) =>
    call('POST', `/library/${Id}/collections/${guid}`, { key: ApiKey, body: { name } }).then(({ status }) => status);
  const names = Array.from({ length: 20 }, (_, index) => String(index + 1));
  expect(await Promise.all(names.map(rename))).toEqual(names.map(() => 200));
  const { Items } = await audit(Id, '?operation=updateCollection');
  const steps = new Map<string, string>(
    Items.map(({ Changes: [{ Old, New }] }: { Changes: [{ Old: string; New: string }] }) => [Old, New]),
  );
  const visited: string[] = [];
  for (let at = steps.get('0'); at !== undefined; at = steps.get(at)) visited.push(at);
  expect(visited.toSorted((a, b) => Number(a) - Number(b))).toEqual(names);
  expect(Object((await call('GET', `/library/${Id}/collections/${guid}`, { key: ApiKey })).body).name).toBe(
    visited.at(-1),
  );
});

test('records concurrent writes in one unbroken chain per day', async () => {
  const { Id, ApiKey } = await createLibrary();
  const write = () => call('POST', `/library/${Id}/collections`, { key: ApiKey, body: { name: 'C' } });
  await Promise.all(Array.from({ length: 40 }, write));
  expect(await audit(Id)).toMatchObject({ TotalItems: 41 });
  const lines = await api.database.db
    .selectFrom('audit_line')
    .select(['id', 'at', 'library_id as libraryId', 'key_name as keyName', 'scope', 'operation', 'targets'])
    .select(['status', 'request_id as requestId', 'ip', 'hash', 'changes'])
    .orderBy('id')
    .execute();
  expect(brokenLink(lines)).toBeNull();
  const changed = lines.map((line, index) => (index === 3 ? { ...line, ip: '10.0.0.1' } : line));
  expect(brokenLink(changed)).toBe(lines[3]?.id);
  expect(brokenLink(lines.toSpliced(5, 1))).toBe(lines[6]?.id);
  const forged = [{ field: 'name', old: null, new: 'D' }];
  expect(lines.at(-1)?.changes).toEqual([{ field: 'name', old: null, new: 'C' }]);
  const last = lines.at(-1);
  expect(brokenLink(lines.map((line) => (line === last ? { ...line, changes: forged } : line)))).toBe(last?.id);
});

/**
 * Returns the id of the first line whose hash does not match its content and the preceding line of that day. Returns
 * null if all match.
 */
function brokenLink(lines: readonly AuditLine[]): number | null {
  const day = (line: AuditLine | undefined) => line?.at.toISOString().slice(0, 10);
  const broken = lines.find((line, index) => {
    const before = lines[index - 1];
    const previous = day(before) === day(line) ? (before?.hash ?? null) : null;
    return !chainHash(previous, line).equals(line.hash);
  });
  return broken?.id ?? null;
}

test('keeps every entry unchanged until it expires, and drops expired entries by whole days', async () => {
  const { db } = api.database;
  for (const action of [sql`update audit_line set ip = ''`, sql`delete from audit_line`, sql`truncate audit_line`]) {
    await expect(action.execute(db)).rejects.toThrow('append-only');
  }
  await sql`insert into audit_line (at, library_id, key_name, scope, operation, targets, status, request_id, ip, hash)
    select now() - make_interval(days => age), 4711, 'k', 'write', 'o', '{}', 200, gen_random_uuid(), '', ''
    from unnest(array[89, 92, 120]) age`.execute(db);
  expect(await pruneAudit(db, new AbortController().signal)).toBe(2);
  expect(await audit(4711)).toMatchObject({ TotalItems: 1 });
  expect(await pruneAudit(db, new AbortController().signal)).toBe(0);
});

test('reports an entry that cannot be stored, without losing other entries', async () => {
  const reported: unknown[] = [];
  const store = createAuditStore(api.database.db, (_, line) => reported.push(line));
  const good = {
    libraryId: 4712,
    pullZoneId: null,
    keyName: 'ApiKey',
    scope: 'write',
    operation: 'test',
    targets: {},
    status: 200,
    requestId: '0192f000-0000-7000-8000-000000000001',
    ip: '127.0.0.1',
    changes: null,
  };
  const bad = { ...good, requestId: 'no guid' };
  await Promise.all([good, bad, good, bad, good].map((line) => store.write(line)));
  expect(reported).toEqual([bad, bad]);
  const all = { libraryId: 4712, page: 1, perPage: 10, keyName: null, operations: null, isDone: null };
  expect(await store.list(all)).toMatchObject({ total: 3 });
});
