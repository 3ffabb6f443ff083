import { createHash, randomBytes } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sourceKeyOf } from '../../src/catalog/uploads/source-key.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { sha256, startStack, type UploadStack } from './stack.ts';
import { at, open, post, sign, type TusLibrary } from './tus-client.ts';

let stack: UploadStack;
let library: TusLibrary;
beforeAll(async () => {
  stack = await startStack();
  library = { url: stack.url, libraryId: 1, key: stack.first.libraryKey };
});
beforeEach(async () => {
  stack.storage.freeBytes = 100e9;
  await stack.database.db.deleteFrom('media').execute();
  for (const id of await stack.staged()) await stack.storage.staging.abort(id);
  await stack.storage.deletePrefix('1/', AbortSignal.timeout(5_000));
});
afterEach(() => expect(stack.faults).toEqual([]));
afterAll(() => stack.stop());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1) as Guid;
const sha1 = (bytes: Uint8Array) => `sha1 ${createHash('sha1').update(bytes).digest('base64')}`;

async function storedSource(guid: Guid): Promise<Buffer> {
  const { source_key: key } = await stack.loadRow(guid);
  if (key === null) throw new Error('Expected the video to have its original.');
  return await stack.storage.readBytes(key, null, AbortSignal.timeout(5_000));
}

type Sent = { offset: number; length: number; bytes: Buffer; checksum?: string };

/** Begins a PATCH over a socket of its own, whose body the test goes on with, or not. */
function beginPatch(url: string, guid: string, sent: Sent): Socket {
  const socket = connect(stack.api.port, '127.0.0.1');
  const headers = {
    Host: 'x',
    'Tus-Resumable': '1.0.0',
    ...sign(library, guid),
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': String(sent.offset),
    'Content-Length': String(sent.length),
    ...(sent.checksum !== undefined && { 'Upload-Checksum': sent.checksum }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`PATCH ${new URL(url).pathname} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(sent.bytes);
  return socket;
}

async function untilStaged(url: string, bytes: number): Promise<void> {
  await vi.waitFor(async () => expect(await stack.storage.staging.size(idOf(url))).toBe(bytes), { timeout: 5_000 });
}

test('pieces make up the file, and the video is processed once with the hash of all of them', async () => {
  const guid = await stack.createVideo();
  const bytes = randomBytes(300_000);
  const upload = await open(library, guid, bytes.length);
  expect(upload.url).toMatch(new RegExp(`^${stack.url}/tusupload/[0-9a-f-]{36}$`));
  for (let at = 0; at < bytes.length; at += 100_000) {
    const answer = await upload.patch(at, bytes.subarray(at, at + 100_000));
    expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([204, String(at + 100_000)]);
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  }
  expect(await storedSource(guid)).toEqual(bytes);
  expect(await stack.loadVideo(guid)).toMatchObject({ status: 1, hasOriginal: true, originalHash: sha256(bytes) });
  expect([await stack.countJobs('process-video', guid), await stack.countJobs('hash-source', guid)]).toEqual([1, 0]);
  expect(await stack.staged()).toEqual([]);
});

test('the last piece sent again hears the same answer and starts nothing', async () => {
  const guid = await stack.createVideo();
  const bytes = randomBytes(2_000);
  const upload = await open(library, guid, bytes.length);
  await upload.patch(0, bytes.subarray(0, 1_000));
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await upload.patch(1_000, bytes.subarray(1_000));
    expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([204, '2000']);
    expect(await upload.offset()).toBe(2_000);
  }
  expect(await stack.countJobs('process-video', guid)).toBe(1);
  expect(await storedSource(guid)).toEqual(bytes);
});

test('the metadata names the video, its collection and its thumbnail', async () => {
  const guid = await stack.createVideo();
  const { body } = await stack.call('POST', '/library/1/collections', { body: { name: 'Films' } });
  const collection = String(Object(body).guid);
  const metadata = `title ${base64('Über Wasser')},collection ${base64(collection)},thumbnailTime ${base64('1500')}`;
  expect((await post(library, guid, 10, { 'Upload-Metadata': metadata })).status).toBe(201);
  expect(await stack.loadVideo(guid)).toMatchObject({ title: 'Über Wasser', collectionId: collection, status: 0 });
  expect((await stack.loadRow(guid)).thumbnail_time_ms).toBe(1_500);
});

test.each([
  (guid: string) => `title ${base64(guid)},filetype `,
  (guid: string) => `title ${base64(guid.toUpperCase())},collection ${base64('undefined')}`,
  () => `title ${base64('  ')},collection ${base64('0190163d-8694-739b-aea5-966c26f8ad91')}`,
  () => 'title !?!, , thumbnailTime LTU=, =,x',
])('junk in the metadata changes nothing (%#)', async (write) => {
  const guid = await stack.createVideo();
  expect((await post(library, guid, 10, { 'Upload-Metadata': write(guid) })).status).toBe(201);
  expect(await stack.loadVideo(guid)).toMatchObject({ title: 'Video', collectionId: '' });
  expect((await stack.loadRow(guid)).thumbnail_time_ms).toBeNull();
});

test.each([
  ['a wrong key', (guid: string) => sign({ libraryId: 1, key: 'wrong' }, guid), 'AuthorizationSignature'],
  ['another library', (guid: string) => sign({ libraryId: 99, key: library.key }, guid), 'AuthorizationSignature'],
  ['a signature that has expired', (guid: string) => sign(library, guid, 1_700_000_000), 'expired'],
  ['another video', () => ({ VideoId: '11111111-2222-4333-8444-555555555555' }), 'AuthorizationSignature'],
  ['no signature', () => ({ AuthorizationSignature: '' }), 'AuthorizationSignature'],
])('%s is 401, and the reason is in its body', async (_, headersFor, reason) => {
  const guid = await stack.createVideo();
  const answer = await post(library, guid, 10, headersFor(guid));
  expect(answer.status).toBe(401);
  expect(await answer.json()).toEqual({ Success: false, StatusCode: 401, Message: expect.stringContaining(reason) });
});

test('an upload that was opened in time may go on after its signature has expired, with a true one', async () => {
  const guid = await stack.createVideo();
  const { url } = await open(library, guid, 4);
  const forged = at(url, { ...sign(library, guid), AuthorizationSignature: '0'.repeat(64) });
  expect((await forged.patch(0, Buffer.from('abcd'))).status).toBe(401);
  const late = at(url, sign(library, guid, 1_700_000_000));
  expect((await late.patch(0, Buffer.from('abcd'))).status).toBe(204);
});

test('an upload is found only with the video that it belongs to', async () => {
  const [guid, other] = [await stack.createVideo(), await stack.createVideo()];
  const { url } = await open(library, guid, 4);
  const foreign = at(url, sign(library, other));
  expect([(await foreign.head()).status, (await foreign.patch(0, Buffer.from('a'))).status]).toEqual([404, 404]);
  expect((await foreign.remove()).status).toBe(404);
  expect((await at(`${stack.url}/tusupload/nothing`, sign(library, guid)).head()).status).toBe(404);
});

test('a video that is unknown is 404, one that has its file 400', async () => {
  const guid = await stack.createVideo();
  expect((await post(library, '11111111-2222-4333-8444-555555555555', 4)).status).toBe(404);
  await stack.call('PUT', `/library/1/videos/${guid}`, { body: Buffer.from('file') });
  const answer = await post(library, guid, 4);
  expect([answer.status, Object(await answer.json()).success]).toEqual([400, false]);
});

test('of two uploads to one video the first that is complete counts, the other is 400 and leaves nothing', async () => {
  const guid = await stack.createVideo();
  const [first, second] = [await open(library, guid, 3), await open(library, guid, 3)];
  expect((await second.patch(0, Buffer.from('se'))).status).toBe(204);
  expect((await first.patch(0, Buffer.from('one'))).status).toBe(204);
  expect((await second.patch(2, Buffer.from('c'))).status).toBe(400);
  expect((await storedSource(guid)).toString()).toBe('one');
  expect([await stack.staged(), (await stack.storage.files()).length]).toEqual([[], 1]);
  expect((await second.head()).status).toBe(404);
});

test('a piece with another checksum than announced is 460 and is not kept', async () => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 8);
  const good = { 'Upload-Checksum': sha1(Buffer.from('good')) };
  expect((await upload.patch(0, Buffer.from('good'), good)).status).toBe(204);
  const answer = await upload.patch(4, Buffer.from('badd'), good);
  expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([460, '4']);
  expect(await upload.offset()).toBe(4);
  expect((await upload.patch(4, Buffer.from('good'), good)).status).toBe(204);
  expect((await storedSource(guid)).toString()).toBe('goodgood');
  expect((await upload.patch(8, Buffer.from('x'), { 'Upload-Checksum': 'md5 YQ==' })).status).toBe(204);
});

test('a stale offset is 409 with the true one, from which the upload goes on', async () => {
  const guid = await stack.createVideo();
  const bytes = randomBytes(1_000);
  const upload = await open(library, guid, bytes.length);
  await upload.patch(0, bytes.subarray(0, 600));
  for (const stale of [0, 599, 601]) {
    const answer = await upload.patch(stale, bytes.subarray(stale));
    expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([409, '600']);
  }
  expect((await upload.patch(600, bytes.subarray(600))).status).toBe(204);
  expect(await storedSource(guid)).toEqual(bytes);
});

test('the socket of a client that vanished is taken over by the next request, and its bytes count', async () => {
  const guid = await stack.createVideo();
  const bytes = randomBytes(200_000);
  const upload = await open(library, guid, bytes.length);
  const dead = beginPatch(upload.url, guid, { offset: 0, length: 200_000, bytes: bytes.subarray(0, 120_000) });
  await untilStaged(upload.url, 120_000);
  expect(await upload.offset()).toBe(120_000);
  const again = beginPatch(upload.url, guid, {
    offset: 120_000,
    length: 80_000,
    bytes: bytes.subarray(120_000, 150_000),
  });
  await untilStaged(upload.url, 150_000);
  expect((await upload.patch(150_000, bytes.subarray(150_000))).status).toBe(204);
  expect(await storedSource(guid)).toEqual(bytes);
  for (const socket of [dead, again]) socket.destroy();
});

test.each([
  ['is kept', undefined, 400],
  ['is not kept when a checksum was to prove it', sha1(Buffer.alloc(1)), 0],
])('what arrived before a connection broke %s', async (_, checksum, kept) => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 1_000);
  const bytes = randomBytes(400);
  const socket = beginPatch(upload.url, guid, { offset: 0, length: 1_000, bytes, ...(checksum && { checksum }) });
  await untilStaged(upload.url, 400);
  socket.destroy();
  expect(await upload.offset()).toBe(kept);
});

test('requests at once for the same piece end in one file and one job', async () => {
  const guid = await stack.createVideo();
  const bytes = randomBytes(500_000);
  const upload = await open(library, guid, bytes.length);
  const answers = await Promise.all([1, 2, 3, 4].map(() => upload.patch(0, bytes)));
  expect(answers.every(({ status }) => status === 204 || status === 409)).toBe(true);
  for (let offset = await upload.offset(); offset < bytes.length; offset = await upload.offset()) {
    await upload.patch(offset, bytes.subarray(offset));
  }
  expect(await storedSource(guid)).toEqual(bytes);
  expect(await stack.countJobs('process-video', guid)).toBe(1);
});

test.each([
  ['before the bytes were moved', false],
  ['after they were moved', true],
])('a server that died at the end, %s, is made good by the next HEAD', async (_, isMoved) => {
  const guid = await stack.createVideo();
  const bytes = randomBytes(5_000);
  const upload = await open(library, guid, bytes.length);
  const id = idOf(upload.url);
  await stack.storage.staging.append(id, 0, Readable.from([bytes]), AbortSignal.timeout(5_000));
  const key = { libraryId: 1, mediaId: guid };
  if (isMoved) await stack.storage.staging.commit(id, sourceKeyOf(key, id), AbortSignal.timeout(5_000));
  expect(await upload.offset()).toBe(5_000);
  expect(await stack.loadVideo(guid)).toMatchObject({ status: 1, originalHash: null });
  expect(await storedSource(guid)).toEqual(bytes);
  expect(await stack.countJobs('process-video', guid)).toBe(1);
  const worker = await stack.startWorker();
  await vi.waitFor(async () => expect((await stack.loadVideo(guid)).originalHash).toBe(sha256(bytes)), {
    timeout: 10_000,
  });
  await worker.stop();
});

test('an upload that is ended leaves nothing, and the video takes another', async () => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 10);
  await upload.patch(0, Buffer.from('12345'));
  expect((await upload.remove()).status).toBe(204);
  expect([(await upload.head()).status, (await upload.remove()).status]).toEqual([404, 404]);
  expect([await stack.staged(), await stack.doors()]).toEqual([[], []]);
  const next = await open(library, guid, 2);
  expect((await next.patch(0, Buffer.from('ok'))).status).toBe(204);
  expect((await next.remove()).status).toBe(404);
});

test('going on puts off the expiry; an upload that nobody goes on with is 404 and is swept', async () => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 10);
  const expireIn = (sec: number) =>
    stack.database.db
      .updateTable('upload')
      .set({ expires_at: new Date(Date.now() + sec * 1000) })
      .execute();
  await expireIn(60);
  const answer = await upload.patch(0, Buffer.from('12345'));
  expect(Date.parse(answer.headers.get('Upload-Expires') ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  await stack.sweep();
  expect(await upload.offset()).toBe(5);
  await expireIn(-1);
  expect((await upload.head()).status).toBe(404);
  await stack.sweep();
  expect([await stack.staged(), await stack.doors(), (await stack.loadVideo(guid)).status]).toEqual([[], [], 0]);
});

test('a complete upload is forgotten with its door when that expires, and the video keeps its file', async () => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 2);
  await upload.patch(0, Buffer.from('ok'));
  expect(await stack.doors()).toEqual([{ door: 'tus', state: 'complete' }]);
  await stack.database.db
    .updateTable('upload')
    .set({ expires_at: new Date(0) })
    .execute();
  await stack.sweep();
  expect(await stack.doors()).toEqual([]);
  expect((await storedSource(guid)).toString()).toBe('ok');
});

test('what was staged for a video that is deleted is swept', async () => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 10);
  await upload.patch(0, Buffer.from('12345'));
  await stack.call('DELETE', `/library/1/videos/${guid}`);
  expect((await upload.patch(5, Buffer.from('6'))).status).toBe(404);
  const [id = ''] = await stack.staged();
  const path = stack.storage.localPath('x' as never)?.replace(/x$/, `.staging/${id}`) ?? '';
  await stack.sweep();
  expect(await stack.staged()).toEqual([id]);
  await utimes(path, new Date(0), new Date(0));
  await stack.sweep();
  expect(await stack.staged()).toEqual([]);
});

test('no more open uploads of a video than fifty', async () => {
  const guid = await stack.createVideo();
  for (let n = 0; n < 50; n += 1) await open(library, guid, 10);
  const answer = await post(library, guid, 10);
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '5']);
});

test('below the disk floor an upload is 507, its length counted', async () => {
  const guid = await stack.createVideo();
  stack.storage.freeBytes = 5e9 + 999;
  expect((await post(library, guid, 1_000)).status).toBe(507);
  expect((await post(library, guid, 999)).status).toBe(201);
});

test('a browser is told what it may send and read', async () => {
  const answer = await fetch(`${stack.url}/tusupload`, { method: 'OPTIONS' });
  expect([answer.status, answer.headers.get('Tus-Version'), answer.headers.get('Tus-Max-Size')]).toEqual([
    204,
    '1.0.0',
    '1000000000',
  ]);
  expect(answer.headers.get('Tus-Extension')).toBe('creation,termination,checksum,expiration');
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
  ['a deferred length', { 'Upload-Length': '', 'Upload-Defer-Length': '1' }, 400],
])('a creation with %s is %i', async (_, headers, status) => {
  expect((await post(library, await stack.createVideo(), 10, headers)).status).toBe(status);
});

test('a piece of another type is 415, one beyond the length 413, an unknown method 405, an unknown path 404', async () => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 4);
  expect((await upload.patch(0, Buffer.from('ab'), { 'Content-Type': 'application/octet-stream' })).status).toBe(415);
  expect((await upload.patch(0, Buffer.from('abcde'))).status).toBe(413);
  expect(await upload.offset()).toBe(0);
  const headers = { 'Tus-Resumable': '1.0.0', ...sign(library, guid) };
  expect((await fetch(upload.url, { method: 'GET', headers })).status).toBe(405);
  expect((await fetch(`${stack.url}/tusuploads/more/x`, { headers })).status).toBe(404);
});

test('paths and methods may be spelt as clients spell them', async () => {
  const guid = await stack.createVideo();
  const headers = { 'Tus-Resumable': '1.0.0', ...sign(library, guid), 'Upload-Length': '2' };
  for (const path of ['/tusupload/', `/tusupload/${guid}`, '/TusUpload?x=1']) {
    expect((await fetch(`${stack.url}${path}`, { method: 'POST', headers })).status).toBe(201);
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

test('a refusal reaches a client that is still sending', async () => {
  const guid = await stack.createVideo();
  const upload = await open(library, guid, 40_000_000);
  const answer = await upload.patch(7, randomBytes(20_000_000));
  expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([409, '0']);
});
