import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/catalog/db.ts';
import { createTusHandler } from '../../src/ingest/tus/tus-handler.ts';
import { createTusUploads } from '../../src/ingest/tus/tus-uploads.ts';
import { NO_ADDRESSES } from '../../src/lib/client-address.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { listen } from '../../src/lib/listen.ts';
import { publicUrlOf } from '../../src/lib/public-url.ts';
import { at, open, post, sign, type TusLibrary } from './tus-client.ts';
import { sha256, startUploadFixture, type UploadFixture } from './upload-fixture.ts';

let fixture: UploadFixture;
let library: TusLibrary;
beforeAll(async () => {
  fixture = await startUploadFixture();
  library = { url: fixture.url, libraryId: 1, key: fixture.first.libraryKey };
});
beforeEach(() => fixture.empty());
afterEach(() => expect(fixture.faults).toEqual([]));
afterAll(() => fixture.stop());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const sha1 = (bytes: Uint8Array) => `sha1 ${createHash('sha1').update(bytes).digest('base64')}`;

test('joins chunks into the file, and processes the video once, with the hash of the whole file', async () => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(300_000);
  const upload = await open(library, guid, bytes.length);
  expect(upload.url).toMatch(new RegExp(`^${fixture.url}/tusupload/[0-9a-f-]{36}$`));
  for (let at = 0; at < bytes.length; at += 100_000) {
    const answer = await upload.patch(at, bytes.subarray(at, at + 100_000));
    expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([204, String(at + 100_000)]);
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  }
  expect(await fixture.storedSource(guid)).toEqual(bytes);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 1, hasOriginal: true, originalHash: sha256(bytes) });
  expect([await fixture.countJobs('process-video', guid), await fixture.countJobs('hash-source', guid)]).toEqual([
    1, 0,
  ]);
  expect(await fixture.staged()).toEqual([]);
});

test('resending the last chunk returns the same response and queues no second job', async () => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(2_000);
  const upload = await open(library, guid, bytes.length);
  await upload.patch(0, bytes.subarray(0, 1_000));
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await upload.patch(1_000, bytes.subarray(1_000));
    expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([204, '2000']);
    expect(await upload.offset()).toBe(2_000);
  }
  expect(await fixture.countJobs('process-video', guid)).toBe(1);
  expect(await fixture.storedSource(guid)).toEqual(bytes);
});

test("the metadata sets the video's title, collection, thumbnail and visibility", async () => {
  const guid = await fixture.createVideo();
  const { body } = await fixture.call('POST', '/library/1/collections', { body: { name: 'Films' } });
  const collection = String(Object(body).guid);
  const metadata = `title ${base64('Über Wasser')},collection ${base64(collection)},thumbnailTime ${base64('1500')}`;
  const all = `${metadata},visibility ${base64('Private')}`;
  expect((await post(library, guid, 10, { 'Upload-Metadata': all })).status).toBe(201);
  expect(await fixture.loadVideo(guid)).toMatchObject({ title: 'Über Wasser', collectionId: collection, status: 0 });
  expect(await fixture.loadRow(guid)).toMatchObject({ thumbnail_time_ms: 1_500, visibility: 'private' });
});

test("the metadata overrides the library's encode settings", async () => {
  const guid = await fixture.createVideo();
  const told = {
    enabledResolutions: '720p,240p',
    jitEnabled: 'TRUE',
    generateTitle: '',
    sourceLanguage: 'de',
  };
  const metadata = Object.entries(told).map(([name, value]) => `${name} ${base64(value)}`);
  expect((await post(library, guid, 10, { 'Upload-Metadata': metadata.join(',') })).status).toBe(201);
  expect((await fixture.loadRow(guid)).upload_options).toEqual({
    ...{ enabledRungs: [240, 720], jitEnabled: true, sourceLanguage: 'de' },
  });
});

test.each([
  ['enabledResolutions', '720p,9p'],
  ['enabledOutputCodecs', 'mpeg2'],
  ['generateTitle', 'perhaps'],
  ['sourceLanguage', 'klingon'],
  ['transcribeLanguages', 'en,zz'],
  ['visibility', 'privat'],
])('rejects an invalid option in the metadata: %s %s', async (name, value) => {
  const guid = await fixture.createVideo();
  const refused = await post(library, guid, 10, { 'Upload-Metadata': `${name} ${base64(value)}` });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(name)]);
});

test.each([
  (guid: string) => `title ${base64(guid)},filetype `,
  (guid: string) => `title ${base64(guid.toUpperCase())},collection ${base64('undefined')}`,
  () => `title ${base64('  ')},collection ${base64('0190163d-8694-739b-aea5-966c26f8ad91')}`,
  () => 'title !?!, , thumbnailTime LTU=, =,x',
])('ignores invalid metadata (%#)', async (write) => {
  const guid = await fixture.createVideo();
  expect((await post(library, guid, 10, { 'Upload-Metadata': write(guid) })).status).toBe(201);
  expect(await fixture.loadVideo(guid)).toMatchObject({ title: 'Video', collectionId: '' });
  expect((await fixture.loadRow(guid)).thumbnail_time_ms).toBeNull();
});

test.each([
  ['a wrong key', (guid: string) => sign({ libraryId: 1, key: 'wrong' }, guid), 'AuthorizationSignature'],
  ['another library', (guid: string) => sign({ libraryId: 99, key: library.key }, guid), 'AuthorizationSignature'],
  ['a signature that has expired', (guid: string) => sign(library, guid, 1_700_000_000), 'expired'],
  ['another video', () => ({ VideoId: '11111111-2222-4333-8444-555555555555' }), 'AuthorizationSignature'],
  ['no signature', () => ({ AuthorizationSignature: '' }), 'AuthorizationSignature'],
])('rejects %s with 401 and the reason in the body', async (_, headersFor, reason) => {
  const guid = await fixture.createVideo();
  const answer = await post(library, guid, 10, headersFor(guid));
  expect(answer.status).toBe(401);
  expect(await answer.json()).toEqual({ Success: false, StatusCode: 401, Message: expect.stringContaining(reason) });
});

test('an upload that was created with a valid signature continues after the signature expires', async () => {
  const guid = await fixture.createVideo();
  const { url } = await open(library, guid, 4);
  const forged = at(url, { ...sign(library, guid), AuthorizationSignature: '0'.repeat(64) });
  expect((await forged.patch(0, Buffer.from('abcd'))).status).toBe(401);
  const late = at(url, sign(library, guid, 1_700_000_000));
  await fixture.database.db
    .updateTable('upload')
    .set({ created_at: new Date(1_699_999_999_000) })
    .execute();
  expect((await late.patch(0, Buffer.from('abcd'))).status).toBe(204);
});

test('a signature that expired before an upload was created grants no access to the upload', async () => {
  const guid = await fixture.createVideo();
  const { url } = await open(library, guid, 4);
  const late = at(url, sign(library, guid, 1_700_000_000));
  const answers = [await late.head(), await late.patch(0, Buffer.from('abcd')), await late.remove()];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect((await at(url, sign(library, guid)).head()).status).toBe(200);
});

test('an upload can be accessed only with a signature for its own video', async () => {
  const [guid, other] = [await fixture.createVideo(), await fixture.createVideo()];
  const { url } = await open(library, guid, 4);
  const foreign = at(url, sign(library, other));
  expect([(await foreign.head()).status, (await foreign.patch(0, Buffer.from('a'))).status]).toEqual([404, 404]);
  expect((await foreign.remove()).status).toBe(404);
  expect((await at(`${fixture.url}/tusupload/nothing`, sign(library, guid)).head()).status).toBe(404);
});

test('responds with 404 for an unknown video, and with 400 for a video that already has a file', async () => {
  const guid = await fixture.createVideo();
  expect((await post(library, '11111111-2222-4333-8444-555555555555', 4)).status).toBe(404);
  await fixture.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('file') });
  const answer = await post(library, guid, 4);
  expect([answer.status, Object(await answer.json()).success]).toEqual([400, false]);
});

test('accepts the upload that completes first, and rejects the second with 400', async () => {
  const guid = await fixture.createVideo();
  const [first, second] = [await open(library, guid, 3), await open(library, guid, 3)];
  expect((await second.patch(0, Buffer.from('se'))).status).toBe(204);
  expect((await first.patch(0, Buffer.from('one'))).status).toBe(204);
  expect((await second.patch(2, Buffer.from('c'))).status).toBe(400);
  expect((await fixture.storedSource(guid)).toString()).toBe('one');
  expect([await fixture.staged(), (await fixture.storage.files()).length]).toEqual([[], 1]);
  expect((await second.head()).status).toBe(404);
});

test('rejects a chunk with a wrong checksum with 460, and discards the chunk', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 8);
  const good = { 'Upload-Checksum': sha1(Buffer.from('good')) };
  expect((await upload.patch(0, Buffer.from('good'), good)).status).toBe(204);
  const answer = await upload.patch(4, Buffer.from('badd'), good);
  expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([460, '4']);
  expect(await upload.offset()).toBe(4);
  expect((await upload.patch(4, Buffer.from('good'), good)).status).toBe(204);
  expect((await fixture.storedSource(guid)).toString()).toBe('goodgood');
  expect((await upload.patch(8, Buffer.from('x'), { 'Upload-Checksum': 'md5 YQ==' })).status).toBe(204);
});

test('rejects a wrong offset with 409, and continues at the returned offset', async () => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(1_000);
  const upload = await open(library, guid, bytes.length);
  await upload.patch(0, bytes.subarray(0, 600));
  for (const stale of [0, 599, 601]) {
    const answer = await upload.patch(stale, bytes.subarray(stale));
    expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([409, '600']);
  }
  expect((await upload.patch(600, bytes.subarray(600))).status).toBe(204);
  expect(await fixture.storedSource(guid)).toEqual(bytes);
});

test('limits a video to 50 open uploads', async () => {
  const guid = await fixture.createVideo();
  for (let n = 0; n < 50; n += 1) await open(library, guid, 10);
  const answer = await post(library, guid, 10);
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '5']);
});

test('rejects an upload with 507 if its length would leave less free space than the reserve', async () => {
  const guid = await fixture.createVideo();
  fixture.storage.freeBytes = 5e9 + 999;
  expect((await post(library, guid, 1_000)).status).toBe(507);
  expect((await post(library, guid, 999)).status).toBe(201);
});

test('OPTIONS lists the headers that browsers may send and read', async () => {
  const answer = await fetch(`${fixture.url}/tusupload`, { method: 'OPTIONS' });
  expect([answer.status, answer.headers.get('Tus-Version'), answer.headers.get('Tus-Max-Size')]).toEqual([
    204,
    '1.0.0',
    '1000000000',
  ]);
  expect(answer.headers.get('Tus-Extension')).toBe(
    'creation,creation-with-upload,creation-defer-length,concatenation,termination,checksum,expiration',
  );
  expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
  for (const name of ['AuthorizationSignature', 'Upload-Offset', 'Tus-Resumable', 'X-HTTP-Method-Override']) {
    expect(answer.headers.get('Access-Control-Allow-Headers')).toContain(name);
  }
  expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('Upload-Offset');
});

test.each([
  ['another version', { 'Tus-Resumable': '0.2.2' }, 412],
  ['no length', { 'Upload-Length': '' }, 400],
  ['a length above the limit', { 'Upload-Length': '1000000001' }, 413],
  ['a length and a deferred one', { 'Upload-Defer-Length': '1' }, 400],
  ['a deferred length of 2', { 'Upload-Length': '', 'Upload-Defer-Length': '2' }, 400],
])('responds to a creation with %s with status %i', async (_, headers, status) => {
  expect((await post(library, await fixture.createVideo(), 10, headers)).status).toBe(status);
});

test('rejects wrong content types (415), excess bytes (413), methods (405) and paths (404)', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 4);
  expect((await upload.patch(0, Buffer.from('ab'), { 'Content-Type': 'application/octet-stream' })).status).toBe(415);
  expect((await upload.patch(0, Buffer.from('abcde'))).status).toBe(413);
  expect(await upload.offset()).toBe(0);
  const headers = { 'Tus-Resumable': '1.0.0', ...sign(library, guid) };
  expect((await fetch(upload.url, { method: 'GET', headers })).status).toBe(405);
  expect((await fetch(`${fixture.url}/tusuploads/more/x`, { headers })).status).toBe(404);
});

test('accepts every spelling of paths and methods that clients use', async () => {
  const guid = await fixture.createVideo();
  const headers = { 'Tus-Resumable': '1.0.0', ...sign(library, guid), 'Upload-Length': '2' };
  for (const path of ['/tusupload/', `/tusupload/${guid}`, '/TusUpload?x=1']) {
    expect((await fetch(`${fixture.url}${path}`, { method: 'POST', headers })).status).toBe(201);
  }
  const { url } = await open(library, guid, 2);
  const overridden = await fetch(url, {
    method: 'POST',
    headers: {
      ...headers,
      'X-HTTP-Method-Override': 'PATCH',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': '0',
    },
    body: 'ok',
  });
  expect(overridden.status).toBe(204);
});

test('a client that is still sending receives the rejection', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 40_000_000);
  const answer = await upload.patch(7, randomBytes(20_000_000));
  expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([409, '0']);
});

test('responds with 503 and Retry-After while the database is down', async () => {
  const away = openDatabase({ host: '/nonexistent', user: 'x', database: 'x' }, () => {});
  const faults: unknown[] = [];
  const { storage, secretBox, jobs: queue } = fixture;
  const space = { storage, diskFloorBytes: () => 0 };
  const tus = createTusHandler({
    mayUpload: async () => false,
    uploads: createTusUploads({ db: away.db, storage, queue, secretBox, maxBytes: 1e9, space }),
    staging: storage.staging,
    maxBytes: 1e9,
    publicUrl: (request) => publicUrlOf(request, NO_ADDRESSES),
    space,
    onError: (error) => faults.push(error),
  });
  const server = createServer(tus.handle);
  const port = await listen(server, 0, '127.0.0.1');
  const answer = await post({ ...library, url: `http://127.0.0.1:${port}` }, newGuid(), 10);
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(faults.length).toBe(1);
  server.close();
  await away.close();
});
