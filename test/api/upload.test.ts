import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createUploadStore } from '../../src/catalog/uploads/upload-store.ts';
import { sweepUploads } from '../../src/jobs/housekeeping/sweep-uploads.ts';
import type { Queue } from '../../src/jobs/queue/define-job.ts';
import type { Guid } from '../../src/lib/guid.ts';
import type { StorageKey } from '../../src/ports/storage.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { ownStore } from '../support/own-store.ts';
import { addVideo, beginPut, countSent, countUploads, loadRow } from './put-upload.ts';

let api: TestApi;
let failSend = false;
beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  api.faults.length = 0;
  api.storage.freeBytes = 100e9;
  await api.database.db.deleteFrom('media').execute();
  await api.storage.deletePrefix('1/' as never, AbortSignal.timeout(30_000));
});
afterAll(() => api.stop());

const OK = { success: true, message: 'OK', statusCode: 200 };

const createVideo = () => addVideo(api);
const row = (guid: string) => loadRow(api, guid);
const openUploads = () => countUploads(api);
const processed = (guid: string) => countSent(api, guid);
const beginUpload = (guid: string, header: string) => beginPut(api, guid, header);

async function expectNothingStored(guid: string): Promise<void> {
  const found = async () => [await openUploads(), await api.storage.files(), (await row(guid)).state];
  await vi.waitFor(async () => expect(await found()).toEqual([0, [], 'upload-failed']), { timeout: 20_000 });
  expect(await row(guid)).toMatchObject({ source_key: null });
  expect(await processed(guid)).toBe(0);
  const again = await api.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('again') });
  expect({ body: again.body, faults: api.faults }).toEqual({ body: OK, faults: [] });
}

test.each([
  ['application/octet-stream'],
  ['application/json'],
  ['application/x-www-form-urlencoded'],
  ['not a type at all'],
  ['video/mp4'],
])('stores bytes unchanged regardless of their content type (%s)', async (type) => {
  const guid = await createVideo();
  const bytes = randomBytes(3_000_000);
  const answer = await api.call('PUT', `/library/1/videos/${guid}`, { body: bytes, headers: { 'Content-Type': type } });
  expect(answer).toMatchObject({ status: 200, body: OK });
  const sha256 = createHash('sha256').update(bytes).digest();
  const stored = await row(guid);
  expect(stored).toMatchObject({ state: 'uploaded', source_bytes: 3_000_000, storage_bytes: 3_000_000 });
  expect(stored.source_sha256?.equals(sha256)).toBe(true);
  expect(stored.source_key).toMatch(new RegExp(`^1/${guid}/source/[0-9a-f-]{36}$`));
  const key = stored.source_key ?? ('' as never);
  expect((await api.storage.readBytes(key, null, AbortSignal.timeout(30_000))).equals(bytes)).toBe(true);
  expect([await processed(guid), await openUploads()]).toEqual([1, 0]);
  expect((await api.call('GET', `/library/1/videos/${guid}`)).body).toMatchObject({
    status: 1,
    hasOriginal: true,
    storageSize: 3_000_000,
    originalHash: sha256.toString('hex'),
  });
});

test.each([
  ['multipart/form-data', '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n'],
  ['a data URL', 'data:video/mp4;base64,AAAAIGZ0eXBpc29tAAACAGlzb21pc28y'],
  ['base64', 'AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDE='],
  ['an HTML page', '<!doctype html><title>Sign in</title>'],
])('rejects %s early with its own message, and stores nothing', async (kind, start) => {
  const guid = await createVideo();
  const socket = beginUpload(guid, 'Content-Length: 9000000\r\nConnection: close');
  socket.write(start);
  expect(await readText(socket)).toMatch(new RegExp(`The file is ${kind}; (?:decode it and )?send the bytes of the `));
  await expectNothingStored(guid);
});

test('accepts a body with chunked transfer encoding and without a length', async () => {
  const guid = await createVideo();
  const socket = beginUpload(guid, 'Transfer-Encoding: chunked\r\nConnection: close');
  socket.write('5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n');
  expect(await readText(socket)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await row(guid)).toMatchObject({ state: 'uploaded', source_bytes: 11 });
});

test('keeps the query options of an upload until its encode is planned', async () => {
  const guid = await createVideo();
  const query =
    'JitEnabled=true&enabledResolutions=720p,240p,&enabledOutputCodecs=VP9,x264' +
    '&transcribeEnabled=false&transcribeLanguages=en,%20de&sourceLanguage=en' +
    '&generateTitle=1&generateMoments=';
  await api.call('PUT', `/library/1/videos/${guid}?${query}`, { body: Buffer.from('x') });
  expect((await row(guid)).upload_options).toEqual({
    jitEnabled: true,
    enabledRungs: [240, 720],
    enabledCodecs: ['vp9', 'h264'],
    transcribeEnabled: false,
    transcribeLanguages: ['en', 'de'],
    sourceLanguage: 'en',
    generateTitle: true,
  });
});

test('rejects a second upload with 400 and keeps the first', async () => {
  const guid = await createVideo();
  await api.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('first') });
  const second = await api.call('PUT', `/library/1/videos/${guid}`, { body: randomBytes(2_000_000) });
  expect(second).toMatchObject({ status: 400, body: { success: false, statusCode: 400 } });
  expect(await row(guid)).toMatchObject({ source_bytes: 5 });
  expect([await processed(guid), (await api.storage.files()).length, await openUploads()]).toEqual([1, 1, 0]);
});

test('accepts one of two simultaneous uploads, and rejects the other with 400 and deletes its bytes', async () => {
  const guid = await createVideo();
  const bodies = [randomBytes(4_000_000), randomBytes(4_000_000)];
  const answers = await Promise.all(bodies.map((body) => api.call('PUT', `/library/1/videos/${guid}`, { body })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect([await processed(guid), (await api.storage.files()).length, await openUploads()]).toEqual([1, 1, 0]);
});

test.each([['Content-Length: 0'], ['Transfer-Encoding: chunked'], ['X-Body: none']])(
  'rejects an empty body (%s) with 400 and keeps the video uploadable',
  async (header) => {
    const guid = await createVideo();
    const socket = beginUpload(guid, `${header}\r\nConnection: close`);
    if (header.startsWith('Transfer')) socket.write('0\r\n\r\n');
    const answer = await readText(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"statusCode":400/);
    await expectNothingStored(guid);
  },
);

test.each([['Content-Length: 5000000'], ['Transfer-Encoding: chunked']])(
  'a client that disconnects during an upload (%s) leaves nothing behind',
  async (header) => {
    const guid = await createVideo();
    const socket = beginUpload(guid, header);
    const bytes = randomBytes(1_000_000);
    socket.write(
      header.startsWith('Content') ? bytes : Buffer.concat([Buffer.from('f4240\r\n'), bytes, Buffer.from('\r\n')]),
    );
    await vi.waitFor(async () => expect((await api.storage.files()).length).toBe(1), { timeout: 20_000 });
    expect(await openUploads()).toBe(1);
    socket.destroy();
    await expectNothingStored(guid);
    expect(api.faults).toEqual([]);
  },
);

test.each([['Content-Length: 5000000'], ['Transfer-Encoding: chunked']])(
  'clients that disconnect at the start (%s) leave nothing behind and do not affect other uploads',
  async (header) => {
    for (let round = 0; round < 10; round += 1) {
      const guid = await createVideo();
      const socket = beginUpload(guid, header);
      socket.write('5\r\nhe');
      // Later rounds disconnect later, so that one hits the time between the upload session and its first byte.
      await new Promise((resolve) => setTimeout(resolve, round));
      socket.resetAndDestroy();
      await expectNothingStored(guid);
      expect((await api.call('DELETE', `/library/1/videos/${guid}`)).status).toBe(200);
      await vi.waitFor(async () => expect(await openUploads()).toBe(0), { timeout: 20_000 });
      await api.storage.deletePrefix('1/' as never, AbortSignal.timeout(30_000));
    }
    expect(api.faults).toEqual([]);
  },
);

test('rejects an upload with 507 if its Content-Length would leave less free space than the reserve', async () => {
  const guid = await createVideo();
  api.storage.freeBytes = 5e9 + 999;
  const small = await api.call('PUT', `/library/1/videos/${guid}`, { body: randomBytes(1_000) });
  expect(small).toMatchObject({ status: 507, body: { success: false, statusCode: 507 } });
  api.storage.freeBytes = 5e9 + 1_000;
  expect((await api.call('PUT', `/library/1/videos/${guid}`, { body: randomBytes(1_000) })).status).toBe(200);
});

test('responds with 404 and deletes the bytes if the video is deleted during its upload', async () => {
  const guid = await createVideo();
  const socket = beginUpload(guid, 'Content-Length: 2000000\r\nConnection: close');
  socket.write(randomBytes(1_000_000));
  await vi.waitFor(async () => expect((await api.storage.files()).length).toBe(1), { timeout: 20_000 });
  expect((await api.call('DELETE', `/library/1/videos/${guid}`)).status).toBe(200);
  socket.write(randomBytes(1_000_000));
  expect(await readText(socket)).toMatch(/^HTTP\/1\.1 404 /);
  expect(await api.storage.files()).toEqual([]);
});

test('responds with 404 if the video is deleted just before its upload is accepted', async () => {
  const { db } = api.database;
  const guid = await createVideo();
  await sql`
    create function delete_video() returns trigger language plpgsql as $$
    begin
      delete from media where id = new.media_id;
      return new;
    end $$;
    create trigger delete_video before insert on upload for each row execute function delete_video()
  `.execute(db);
  const { status } = await api.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('bytes') });
  await sql`drop trigger delete_video on upload`.execute(db);
  expect([status, await api.storage.files(), api.faults]).toEqual([404, [], []]);
});

test('a client that is still sending receives the rejection, and can reuse its connection', async () => {
  const socket = beginUpload('00000000-0000-0000-0000-000000000000', 'Content-Length: 20000000');
  const answered = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  socket.write(randomBytes(20_000_000));
  expect(await answered).toMatch(/^HTTP\/1\.1 404 /);
  const next = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
  socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  expect(await next).toMatch(/^HTTP\/1\.1 200 /);
  socket.destroy();
});

test('commits nothing if the job cannot be sent, and leaves the upload session for the sweep', async () => {
  const { send } = api.queue;
  const queue: Queue = {
    send: (job, payload, options) =>
      failSend ? () => Promise.reject(new Error('No queue.')) : send(job, payload, options),
  };
  const other = await startTestApi({ queue });
  const { body } = await other.call('POST', '/library/1/videos', { body: { title: 'T' } });
  const { guid } = Object(body);
  failSend = true;
  const failed = await other.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('bytes') });
  expect(failed).toMatchObject({ status: 500, body: { success: false, statusCode: 500 } });
  expect(other.faults).toHaveLength(1);
  expect((await other.call('GET', `/library/1/videos/${guid}`)).body).toMatchObject({ status: 0, hasOriginal: false });
  expect(await other.database.db.selectFrom('upload').select('method').execute()).toEqual([{ method: 'put' }]);
  await other.stop();
});

test('stopping the server aborts running uploads and leaves nothing behind', async () => {
  const other = await startTestApi();
  const { body } = await other.call('POST', '/library/1/videos', { body: { title: 'T' } });
  const socket = connect(other.api.port, '127.0.0.1').on('error', () => {});
  const { libraryKey } = other.first;
  const head = `PUT /library/1/videos/${Object(body).guid} HTTP/1.1\r\nHost: x\r\nAccessKey: ${libraryKey}\r\n`;
  socket.write(`${head}Content-Length: 1000\r\n\r\nsome`);
  await vi.waitFor(async () => expect((await other.storage.files()).length).toBe(1), { timeout: 20_000 });
  await other.api.close();
  expect(await other.storage.files()).toEqual([]);
  expect(await other.database.db.selectFrom('upload').selectAll().execute()).toEqual([]);
  socket.destroy();
  await other.stop();
});

const sweep = () =>
  sweepUploads.run(
    {},
    { db: api.database.db, storage: api.storage, store: ownStore, queue: api.queue },
    AbortSignal.timeout(30_000),
  );
const endLeases = () =>
  api.database.db
    .updateTable('upload')
    .set({ lease_until: new Date(0) })
    .execute();

test('the sweep removes the upload session and unreferenced bytes of a killed server', async () => {
  const [left, named] = [await createVideo(), await createVideo()];
  const uploads = createUploadStore(api.database.db);
  for (const guid of [left, named]) {
    const key = { libraryId: 1, mediaId: guid as Guid };
    const id = await uploads.openPut(key, { lengthBytes: null, options: {} });
    const object = `1/${guid}/source/${id}` as StorageKey;
    await api.storage.put(object, Buffer.from('bytes'), {}, AbortSignal.timeout(30_000));
    if (guid !== named) continue;
    await api.database.db.updateTable('media').set({ source_key: object }).where('id', '=', key.mediaId).execute();
  }
  await sweep();
  expect([(await api.storage.files()).length, await openUploads()]).toEqual([2, 2]);
  await endLeases();
  await sweep();
  const files = await api.storage.files();
  expect(files).toHaveLength(1);
  expect(files[0]).toContain(named);
  expect(await openUploads()).toBe(0);
});

test('responds with 408 to an upload that continues after the sweep, and accepts a new upload', async () => {
  const guid = await createVideo();
  const socket = beginUpload(guid, 'Content-Length: 10\r\nConnection: close');
  socket.write('hello');
  await vi.waitFor(async () => expect((await api.storage.files()).length).toBe(1), { timeout: 20_000 });
  await endLeases();
  await sweep();
  socket.write('world');
  expect(await readText(socket)).toMatch(/^HTTP\/1\.1 408 /);
  await expectNothingStored(guid);
});
