import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteLibrary } from '../../src/jobs/housekeeping/delete-library.ts';
import type { JobDeps } from '../../src/jobs/job-deps.ts';
import { storageKey } from '../../src/ports/storage.ts';
import { type CallOptions, startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const call = (method: string, path: string, options: CallOptions = {}) =>
  api.call(method, path, { key: String(api.first.accountKey), ...options });
const signal = new AbortController().signal;

async function createLibrary() {
  return Object((await call('POST', '/videolibrary', { body: { Name: 'Doomed' } })).body);
}

async function addMedia(libraryId: number, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    const { body } = await call('POST', `/library/${libraryId}/videos`, { body: { title: `V${made}` } });
    const key = storageKey(`${libraryId}/${Object(body).guid}/source/file`);
    if (made < 3) await api.storage.put(key, Buffer.from('bytes'), {}, signal);
  }
}

async function objects(libraryId: number): Promise<number> {
  let count = 0;
  for await (const _ of api.storage.list(`${libraryId}/`, signal)) count += 1;
  return count;
}

async function run(payload: { libraryId: number; isSecondLook?: boolean }): Promise<void> {
  const { storage, queue } = api;
  // The job uses only these three of a worker's dependencies.
  await deleteLibrary.run(payload, { db: api.database.db, storage, queue } as unknown as JobDeps, signal);
}

async function rows(libraryId: number) {
  const { db } = api.database;
  const media = await db.selectFrom('media').select('id').where('library_id', '=', libraryId).execute();
  const library = await db.selectFrom('library').select('id').where('id', '=', libraryId).execute();
  return { media: media.length, library: library.length };
}

test('hides a deleted library immediately, and deletes its videos and objects soon after', async () => {
  const { Id, ApiKey, ReadOnlyApiKey, PullZoneId } = await createLibrary();
  const further = Object((await call('POST', `/videolibrary/${Id}/keys`, { body: { Scope: 'write' } })).body);
  await addMedia(Id, 120);
  const neighbour = Number(`${Id}1`);
  await api.storage.put(storageKey(`${neighbour}/x/file`), Buffer.from('not yours'), {}, signal);
  expect(await call('DELETE', `/videolibrary/${Id}`)).toMatchObject({ status: 204, text: '' });
  expect((await call('GET', `/videolibrary/${Id}`)).status).toBe(404);
  expect((await call('DELETE', `/videolibrary/${Id}`)).status).toBe(404);
  expect((await call('GET', `/pullzone/${PullZoneId}`)).status).toBe(404);
  expect((await call('GET', '/videolibrary?search=doomed')).body).toEqual([]);
  expect((await call('GET', `/library/${Id}/videos`)).status).toBe(401);
  for (const key of [ApiKey, ReadOnlyApiKey, further.Key]) {
    const opens = async () => (await call('GET', `/library/${Id}/videos`, { key })).status;
    await expect.poll(opens, { timeout: 20_000, interval: 50 }).toBe(401);
  }
  const job = { name: 'delete-library', payload: { libraryId: Id } };
  expect(await api.queue.sent()).toContainEqual(job);
  await run({ libraryId: Id });
  expect([await rows(Id), await objects(Id)]).toEqual([{ media: 0, library: 1 }, 0]);
  await api.storage.put(storageKey(`${Id}/watermark/7`), Buffer.from('late'), {}, signal);
  expect(await api.queue.sent()).toContainEqual({ ...job, payload: { libraryId: Id, isSecondLook: true } });
  await run({ libraryId: Id, isSecondLook: true });
  await run({ libraryId: Id, isSecondLook: true });
  expect([await rows(Id), await objects(Id), await objects(neighbour)]).toEqual([{ media: 0, library: 0 }, 0, 1]);
  expect((await call('GET', `/videolibrary/${Id}/audit?perPage=2`)).body).toMatchObject({
    Items: [
      { Operation: 'deleteLibrary', Status: 404 },
      { Operation: 'deleteLibrary', Status: 204 },
    ],
  });
});

test('the deletion job changes nothing in a library that was not deleted', async () => {
  const { Id } = await createLibrary();
  await addMedia(Id, 1);
  await run({ libraryId: Id });
  await run({ libraryId: Id, isSecondLook: true });
  expect([await rows(Id), await objects(Id)]).toEqual([{ media: 1, library: 1 }, 1]);
});
