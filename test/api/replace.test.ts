import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetReplaced } from '../../src/catalog/lifecycle/replacement-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addRows } from '../support/rendition-rows.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

async function createFinished(): Promise<Guid> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'Kept' } });
  // The GUID comes from our own response.
  const guid = String(Object(body).guid) as Guid;
  await addRows(api.database.db, guid, [{ rung: 240 }, { rung: null }]);
  await api.database.db
    .updateTable('media')
    .set({ state: 'finished', source_key: `1/${guid}/source/x` as StorageKey, source_bytes: 9, views: 7 })
    .where('id', '=', guid)
    .execute();
  return guid;
}
const put = (guid: string) =>
  api.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('bytes of another file') });
const replace = (guid: string) => api.call('POST', `/library/1/videos/${guid}/replace`);
const rowOf = (guid: Guid) =>
  api.database.db.selectFrom('media').selectAll().where('id', '=', guid).executeTakeFirstOrThrow();

test('a finished video accepts one new file after a request to replace its file', async () => {
  const guid = await createFinished();
  expect((await put(guid)).status).toBe(400);
  expect((await replace(guid)).body).toEqual({ success: true, message: 'OK', statusCode: 200 });
  expect(await rowOf(guid)).toMatchObject({ state: 'finished', title: 'Kept', views: 7, source_bytes: 9 });
  const { storage_bytes: storageBytes } = await rowOf(guid);
  expect((await put(guid)).status).toBe(200);
  const row = await rowOf(guid);
  expect(row).toMatchObject({ state: 'uploaded', title: 'Kept', views: 7, source_bytes: 21 });
  expect(row.replaced).toMatchObject({ sourceKey: `1/${guid}/source/x`, sourceBytes: 9 });
  // The storage includes both files.
  expect(row.storage_bytes).toBe(storageBytes + 21);
  expect((await put(guid)).status).toBe(400);
  expect((await replace(guid)).status).toBe(400);
});

test('permission to replace a file expires after a day if unused', async () => {
  const guid = await createFinished();
  await replace(guid);
  const passed = { replace_until: new Date(Date.now() - 1000) };
  await api.database.db.updateTable('media').set(passed).where('id', '=', guid).execute();
  expect((await put(guid)).status).toBe(400);
});

test('rejects replacing an unfinished or unknown video, or any video with a read-only key', async () => {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title: 'New' } });
  expect((await replace(String(Object(body).guid))).status).toBe(400);
  expect((await replace('0190a0a0-0000-7000-8000-000000000000')).status).toBe(404);
});

test('keeps the watch history of the first file until the new file replaces it', async () => {
  const { db } = api.database;
  const guid = await createFinished();
  const heat = { library_id: 1, media_id: guid, bucket_sec: 1, sessions: 5, counts: Buffer.from([5]) };
  await db.insertInto('media_heat').values(heat).execute();
  const heatLeft = async () => {
    // Every video that finishes triggers this.
    await db.transaction().execute((tx) => forgetReplaced(tx, { libraryId: 1, mediaId: guid }));
    return (await db.selectFrom('media_heat').select('sessions').where('media_id', '=', guid).execute()).length;
  };
  expect(await heatLeft()).toBe(1);
  await replace(guid);
  await put(guid);
  expect(await heatLeft()).toBe(0);
});
