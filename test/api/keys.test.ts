import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createKeyStore, type KeyStore } from '../../src/catalog/keys/key-store.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let keys: KeyStore;
let firstVideo: string;
let firstCollection: string;
beforeAll(async () => {
  api = await startTestApi();
  keys = createKeyStore(api.database.db);
  firstVideo = Object((await api.call('POST', '/library/1/videos', { body: { title: 'Mine' } })).body).guid;
  firstCollection = Object((await api.call('POST', '/library/1/collections', { body: { name: 'Mine' } })).body).guid;
});
afterAll(() => api.stop());

/** Every operation on the first library, with existing objects. */
const operations = () =>
  [
    ['GET', '/library/1/videos'],
    ['POST', '/library/1/videos'],
    ['GET', `/library/1/videos/${firstVideo}`],
    ['POST', `/library/1/videos/${firstVideo}`],
    ['PUT', `/library/1/videos/${firstVideo}`],
    ['DELETE', `/library/1/videos/${firstVideo}`],
    ['POST', `/library/1/videos/${firstVideo}/reencode`],
    ['GET', '/library/1/collections'],
    ['POST', '/library/1/collections'],
    ['GET', `/library/1/collections/${firstCollection}`],
    ['POST', `/library/1/collections/${firstCollection}`],
    ['DELETE', `/library/1/collections/${firstCollection}`],
  ] as const;

test('every operation treats the key of another library as an invalid key', async () => {
  for (const [method, path] of operations()) {
    const { status, body } = await api.call(method, path, { key: api.second.key });
    expect([method, path, status]).toEqual([method, path, 401]);
    expect(body).toMatchObject({ Success: false, StatusCode: 401 });
  }
});

test('a library cannot access objects of another library through its own path', async () => {
  for (const [method, path] of operations()) {
    const own = path.replace('/library/1/', `/library/${api.second.id}/`);
    if (own.split('/').length < 5) continue;
    const { status } = await api.call(method, own, { key: api.second.key });
    expect([method, own, status]).toEqual([method, own, 404]);
  }
  const { body } = await api.call('GET', `/library/${api.second.id}/videos?collection=${firstCollection}`, {
    key: api.second.key,
  });
  expect(body).toMatchObject({ totalItems: 0, items: [] });
  const into = { body: { title: 'T', collectionId: firstCollection }, key: api.second.key };
  expect((await api.call('POST', `/library/${api.second.id}/videos`, into)).status).toBe(400);
});

test('the read-only key can read, and gets 403 for every write', async () => {
  for (const [method, path] of operations()) {
    const { status } = await api.call(method, path, { key: api.first.readOnlyKey });
    expect([method, path, status]).toEqual([method, path, method === 'GET' ? 200 : 403]);
  }
});

test('the account key grants access to all existing libraries, but not to missing ones', async () => {
  const key = api.first.accountKey;
  expect((await api.call('GET', '/library/1/videos', { key })).status).toBe(200);
  expect((await api.call('GET', `/library/${api.second.id}/videos`, { key })).status).toBe(200);
  expect((await api.call('POST', '/library/999/videos', { key, body: { title: 'T' } })).status).toBe(401);
});

test('an additional key grants access to its library within its scope until it expires or is revoked', async () => {
  const write = await keys.create({ scope: 'write', libraryId: 1, label: 'w', expiresAt: null });
  const read = await keys.create({ scope: 'read', libraryId: 1, label: 'r', expiresAt: null });
  const old = await keys.create({ scope: 'write', libraryId: 1, label: 'o', expiresAt: new Date(Date.now() - 1) });
  const create = (key: string) => api.call('POST', '/library/1/collections', { key, body: { name: 'C' } });
  expect((await create(write.key)).status).toBe(200);
  expect((await create(read.key)).status).toBe(403);
  expect((await create(old.key)).status).toBe(401);
  expect((await api.call('GET', `/library/${api.second.id}/videos`, { key: write.key })).status).toBe(401);
  await keys.revoke(1, write.id);
  await vi.waitFor(async () => expect((await create(write.key)).status).toBe(401), { timeout: 20_000, interval: 50 });
  const { rows } = await sql<{ used: boolean }>`
    select last_used_at is not null as used from access_key where id = ${write.id}`.execute(api.database.db);
  expect(rows).toEqual([{ used: true }]);
});

test('the database contains no readable key', async () => {
  const { rows } = await sql<{ all: string }>`
    select string_agg(t::text, '') as all from (select library::text as t from library
      union all select pull_zone::text from pull_zone union all select access_key::text from access_key) rows`.execute(
    api.database.db,
  );
  const stored = rows[0]?.all ?? '';
  for (const key of [api.first.libraryKey, api.first.readOnlyKey, String(api.first.accountKey)]) {
    expect(stored).not.toContain(key);
    expect(stored).not.toContain(Buffer.from(key).toString('hex'));
  }
});

test('only the account key can set the security key of a pull zone: to 8 to 36 characters or none', async () => {
  const { accountKey, libraryKey } = api.first;
  const zone = (await api.libraries.findLibrary(1))?.pullZone.id;
  const reset = (key: string | null, body?: object, id: unknown = zone) =>
    api.call('POST', `/pullzone/${id}/resetSecurityKey`, { key, body });
  const sealed = async () => {
    const row = await api.database.db.selectFrom('pull_zone').selectAll().where('library_id', '=', 1).execute();
    return api.secretBox.open(row[0]?.security_key_sealed ?? Buffer.alloc(0));
  };
  const before = await sealed();
  expect(await reset(accountKey)).toMatchObject({ status: 204, text: '' });
  const drawn = await sealed();
  expect(drawn).not.toBe(before);
  expect((await reset(accountKey, { securitykey: 'chosen-key' })).status).toBe(204);
  expect(await sealed()).toBe('chosen-key');
  const refused = { ErrorKey: expect.any(String), Message: expect.any(String) };
  expect(await reset(accountKey, { SecurityKey: 'short' })).toMatchObject({ status: 400, body: refused });
  expect(await reset(accountKey, { SecurityKey: 'x'.repeat(37) })).toMatchObject({ status: 400, body: refused });
  expect(await reset(accountKey, {}, 999)).toMatchObject({ status: 404, body: refused });
  expect(await reset(accountKey, {}, 'x')).toMatchObject({ status: 404, body: refused });
  expect(await reset(libraryKey)).toMatchObject({ status: 401, body: { ...refused, Field: 'AccessKey' } });
  expect(await sealed()).toBe('chosen-key');
});
