import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let accountKey: string;
beforeAll(async () => {
  api = await startTestApi();
  accountKey = String(api.first.accountKey);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: accountKey, ...options });

type Library = { Id: number; ApiKey: string; ReadOnlyApiKey: string };
async function createLibrary(): Promise<Library> {
  return Object((await call('POST', '/videolibrary', { body: { Name: 'Keys' } })).body);
}
async function readLibrary({ Id }: Library): Promise<Library> {
  return Object((await call('GET', `/videolibrary/${Id}`)).body);
}
async function createKey({ Id }: Library, body: object): Promise<{ Id: string; Key: string }> {
  const answer = await call('POST', `/videolibrary/${Id}/keys`, { body });
  expect(answer.status).toBe(201);
  return Object(answer.body);
}
const reads = async ({ Id }: Library, key: string) => (await call('GET', `/library/${Id}/videos`, { key })).status;
const writes = async ({ Id }: Library, key: string) =>
  (await call('POST', `/library/${Id}/collections`, { key, body: { name: 'C' } })).status;

test('shows an additional key only once, and limits it to its library and scope', async () => {
  const [library, other] = [await createLibrary(), await createLibrary()];
  const write = await createKey(library, { Label: 'upload', Scope: 'write' });
  const read = await createKey(library, { scope: 'read' });
  expect(write.Key).toMatch(/^[0-9a-f]{64}$/);
  expect([await reads(library, write.Key), await writes(library, write.Key)]).toEqual([200, 200]);
  expect([await reads(library, read.Key), await writes(library, read.Key)]).toEqual([200, 403]);
  expect([await reads(other, write.Key), await reads(other, read.Key)]).toEqual([401, 401]);
  const { body, text } = await call('GET', `/videolibrary/${library.Id}/keys`);
  expect(body).toMatchObject([
    { Id: write.Id, Label: 'upload', Scope: 'write', DateExpires: null, DateLastUsed: expect.any(String) },
    { Id: read.Id, Label: '', Scope: 'read' },
  ]);
  expect(text).not.toContain(write.Key);
  expect((await call('GET', `/videolibrary/${other.Id}/keys`)).body).toEqual([]);
});

test('a key can be revoked only through its own library, and is rejected after that', async () => {
  const [library, other] = [await createLibrary(), await createLibrary()];
  const key = await createKey(library, { Scope: 'write' });
  const revoke = (owner: Library) => call('DELETE', `/videolibrary/${owner.Id}/keys/${key.Id}`);
  expect(await revoke(other)).toMatchObject({ status: 404, body: { ErrorKey: expect.any(String) } });
  expect(await reads(library, key.Key)).toBe(200);
  expect(await revoke(library)).toMatchObject({ status: 204, text: '' });
  await expect.poll(() => reads(library, key.Key), { timeout: 20_000, interval: 50 }).toBe(401);
  expect((await revoke(library)).status).toBe(204);
  expect((await call('GET', `/videolibrary/${library.Id}/keys`)).body).toEqual([]);
});

test('rejects an expired key', async () => {
  const library = await createLibrary();
  const key = await createKey(library, { Scope: 'read', ExpiresInSec: 3600 });
  expect(await reads(library, key.Key)).toBe(200);
  await sql`update access_key set expires_at = now() where id = ${key.Id}`.execute(api.database.db);
  await expect.poll(() => reads(library, key.Key), { timeout: 20_000, interval: 50 }).toBe(401);
});

test('writes the last use of a key at most once a minute', async () => {
  const library = await createLibrary();
  const { Id, Key } = await createKey(library, { Scope: 'read' });
  await sql`update access_key set last_used_at = now() - interval '45 seconds' where id = ${Id}`.execute(
    api.database.db,
  );
  const lastUse = async () => Object((await call('GET', `/videolibrary/${library.Id}/keys`)).body)[0].DateLastUsed;
  const before = await lastUse();
  await reads(library, Key);
  expect(await lastUse()).toBe(before);
  await sql`update access_key set last_used_at = now() - interval '61 seconds' where id = ${Id}`.execute(
    api.database.db,
  );
  const stale = await lastUse();
  await expect
    .poll(async () => (await reads(library, Key)) === 200 && (await lastUse()) !== stale, { timeout: 20_000 })
    .toBe(true);
});

test.each([
  { action: 'resetApiKey', field: 'ApiKey' },
  { action: 'resetReadOnlyApiKey', field: 'ReadOnlyApiKey' },
] as const)('$action invalidates the old key and shows the new one', async ({ action, field }) => {
  const before = await createLibrary();
  expect(await call('POST', `/videolibrary/${before.Id}/${action}`)).toMatchObject({ status: 204, text: '' });
  const after = await readLibrary(before);
  expect(after).toEqual({ ...before, ...after, DateModified: expect.any(String) });
  expect(after[field]).not.toBe(before[field]);
  const kept = field === 'ApiKey' ? 'ReadOnlyApiKey' : 'ApiKey';
  expect(after[kept]).toBe(before[kept]);
  expect(await reads(before, after[field])).toBe(200);
  await expect.poll(() => reads(before, before[field]), { timeout: 20_000, interval: 50 }).toBe(401);
});

test('resets a key through the older path, which has the library id in the query', async () => {
  const before = await createLibrary();
  expect((await call('POST', `/videolibrary/resetApiKey?id=${before.Id}`)).status).toBe(204);
  expect((await readLibrary(before)).ApiKey).not.toBe(before.ApiKey);
});

test('with an overlap, the old key keeps its old rights until the overlap ends', async () => {
  const before = await createLibrary();
  await call('POST', `/videolibrary/${before.Id}/resetApiKey?overlapSec=600`);
  await call('POST', `/videolibrary/${before.Id}/resetReadOnlyApiKey?overlapSec=600`);
  const after = await readLibrary(before);
  for (const key of [before.ApiKey, after.ApiKey]) expect(await writes(before, key)).toBe(200);
  for (const key of [before.ReadOnlyApiKey, after.ReadOnlyApiKey]) {
    expect([await reads(before, key), await writes(before, key)]).toEqual([200, 403]);
  }
  expect((await call('GET', `/videolibrary/${before.Id}/keys`)).body).toMatchObject([
    { Scope: 'write', Label: 'former ApiKey', DateExpires: expect.any(String) },
    { Scope: 'read', Label: 'former ReadOnlyApiKey' },
  ]);
  await sql`update access_key set expires_at = now() where library_id = ${before.Id}`.execute(api.database.db);
  await expect.poll(() => reads(before, before.ApiKey), { timeout: 20_000, interval: 50 }).toBe(401);
  expect(await writes(before, after.ApiKey)).toBe(200);
});

test('limits a library to 100 additional keys', async () => {
  const library = await createLibrary();
  for (let made = 0; made < 100; made += 1) await createKey(library, { Scope: 'read' });
  const answer = await call('POST', `/videolibrary/${library.Id}/keys`, { body: { Scope: 'read' } });
  expect(answer).toMatchObject({ status: 400, body: { ErrorKey: 'request.invalid' } });
});

test.each([
  [{}, 'Scope'],
  [{ Scope: 'account' }, 'Scope'],
  [{ Scope: 'read', ExpiresInSec: 0 }, 'ExpiresInSec'],
  [{ Scope: 'read', Label: 'x'.repeat(201) }, 'Label'],
])('rejects a key of %j with 400', async (body, Field) => {
  const answer = await call('POST', '/videolibrary/1/keys', { body });
  expect(answer).toMatchObject({ status: 400, body: { ErrorKey: 'request.invalid', Field } });
});
