import { createHash, randomBytes } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sourceKeyOf } from '../../src/catalog/uploads/source-key.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { open, sign, type TusLibrary } from './tus-client.ts';
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

const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1) as Guid;
const sha1 = (bytes: Uint8Array) => `sha1 ${createHash('sha1').update(bytes).digest('base64')}`;

type Sent = { offset: number; length: number; bytes: Buffer; checksum?: string };

/** Begins a PATCH over a separate socket, whose body the test may continue. */
function beginPatch(url: string, guid: string, sent: Sent): Socket {
  const socket = connect(fixture.api.port, '127.0.0.1');
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
  await vi.waitFor(async () => expect(await fixture.storage.staging.size(idOf(url))).toBe(bytes), { timeout: 20_000 });
}

test('the next request takes over from a client that vanished without closing, and keeps its bytes', async () => {
  const guid = await fixture.createVideo();
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
  expect(await fixture.storedSource(guid)).toEqual(bytes);
  for (const socket of [dead, again]) socket.destroy();
});

test.each([
  ['is kept', undefined, 400],
  ['is not kept if a checksum was announced', sha1(Buffer.alloc(1)), 0],
])('an upload whose connection broke %s', async (_, checksum, kept) => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 1_000);
  const bytes = randomBytes(400);
  const socket = beginPatch(upload.url, guid, { offset: 0, length: 1_000, bytes, ...(checksum && { checksum }) });
  await untilStaged(upload.url, 400);
  socket.destroy();
  expect(await upload.offset()).toBe(kept);
});

test('simultaneous requests with the same chunk produce one file and one job', async () => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(500_000);
  const upload = await open(library, guid, bytes.length);
  const answers = await Promise.all([1, 2, 3, 4].map(() => upload.patch(0, bytes)));
  expect(answers.every(({ status }) => status === 204 || status === 409)).toBe(true);
  for (let offset = await upload.offset(); offset < bytes.length; offset = await upload.offset()) {
    await upload.patch(offset, bytes.subarray(offset));
  }
  expect(await fixture.storedSource(guid)).toEqual(bytes);
  expect(await fixture.countJobs('process-video', guid)).toBe(1);
});

test.each([
  ['before the bytes were moved', false],
  ['after they were moved', true],
])('the next HEAD completes an upload whose server died after the last byte, %s', async (_, isMoved) => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(5_000);
  const upload = await open(library, guid, bytes.length);
  const id = idOf(upload.url);
  await fixture.storage.staging.append(id, 0, Readable.from([bytes]), AbortSignal.timeout(30_000));
  const key = { libraryId: 1, mediaId: guid };
  if (isMoved) await fixture.storage.staging.commit(id, sourceKeyOf(key, id), AbortSignal.timeout(30_000));
  expect(await upload.offset()).toBe(5_000);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 1, originalHash: null });
  expect(await fixture.storedSource(guid)).toEqual(bytes);
  expect(await fixture.countJobs('process-video', guid)).toBe(1);
  const worker = await fixture.startWorker();
  await vi.waitFor(async () => expect((await fixture.loadVideo(guid)).originalHash).toBe(sha256(bytes)), {
    timeout: 20_000,
  });
  await worker.stop();
});

test('terminating an upload deletes its bytes, and the video accepts a new upload', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 10);
  await upload.patch(0, Buffer.from('12345'));
  expect((await upload.remove()).status).toBe(204);
  expect([(await upload.head()).status, (await upload.remove()).status]).toEqual([404, 404]);
  expect([await fixture.staged(), await fixture.uploads()]).toEqual([[], []]);
  const next = await open(library, guid, 2);
  expect((await next.patch(0, Buffer.from('ok'))).status).toBe(204);
  expect((await next.remove()).status).toBe(404);
});

test('progress extends the expiry, and an abandoned upload expires, returns 404 and is swept', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 10);
  const expireIn = (sec: number) =>
    fixture.database.db
      .updateTable('upload')
      .set({ expires_at: new Date(Date.now() + sec * 1000) })
      .execute();
  await expireIn(60);
  const answer = await upload.patch(0, Buffer.from('12345'));
  expect(Date.parse(answer.headers.get('Upload-Expires') ?? '')).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  await fixture.sweep();
  expect(await upload.offset()).toBe(5);
  await expireIn(-1);
  expect((await upload.head()).status).toBe(404);
  await fixture.sweep();
  expect([await fixture.staged(), await fixture.uploads(), (await fixture.loadVideo(guid)).status]).toEqual([
    [],
    [],
    0,
  ]);
});

test('a complete upload expires with its session, and the video keeps its file', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 2);
  await upload.patch(0, Buffer.from('ok'));
  expect(await fixture.uploads()).toEqual([{ method: 'tus', state: 'complete' }]);
  await fixture.database.db
    .updateTable('upload')
    .set({ expires_at: new Date(0) })
    .execute();
  await fixture.sweep();
  expect(await fixture.uploads()).toEqual([]);
  expect((await fixture.storedSource(guid)).toString()).toBe('ok');
});

test('deletes the staged bytes of a deleted video in the next sweep', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 10);
  await upload.patch(0, Buffer.from('12345'));
  await fixture.call('DELETE', `/library/1/videos/${guid}`);
  expect((await upload.patch(5, Buffer.from('6'))).status).toBe(404);
  const [id = ''] = await fixture.staged();
  const path = fixture.storage.localPath('x' as never)?.replace(/x$/, `.staging/${id}`) ?? '';
  await fixture.sweep();
  expect(await fixture.staged()).toEqual([id]);
  await utimes(path, new Date(0), new Date(0));
  await fixture.sweep();
  expect(await fixture.staged()).toEqual([]);
});

test('an upload does not expire while one chunk takes longer than the idle limit', async () => {
  const guid = await fixture.createVideo();
  const upload = await open(library, guid, 10);
  const { db } = fixture.database;
  const runOut = () =>
    db
      .updateTable('upload')
      .set({ expires_at: sql<Date>`now() + interval '30 seconds'` })
      .where('id', '=', idOf(upload.url))
      .execute();
  const isKept = async () => {
    const row = await db
      .selectFrom('upload')
      .select('expires_at')
      .where('id', '=', idOf(upload.url))
      .executeTakeFirst();
    return (row?.expires_at.getTime() ?? 0) > Date.now() + 3_600_000;
  };
  await runOut();
  const every = setInterval;
  const hourly: (() => void)[] = [];
  const timers = vi.spyOn(globalThis, 'setInterval');
  timers.mockImplementation(((action: () => void, ms?: number) => {
    if (ms === 3_600_000) hourly.push(action);
    return every(action, ms);
  }) as never);
  const socket = beginPatch(upload.url, guid, { offset: 0, length: 10, bytes: Buffer.from('hello') });
  await untilStaged(upload.url, 5);
  timers.mockRestore();
  await expect.poll(isKept).toBe(true);
  await runOut();
  for (const action of hourly) action();
  await expect.poll(isKept).toBe(true);
  await db.deleteFrom('upload').where('id', '=', idOf(upload.url)).execute();
  for (const action of hourly) action();
  expect(await readText(socket)).toMatch(/^HTTP\/1\.1 404 /);
});
