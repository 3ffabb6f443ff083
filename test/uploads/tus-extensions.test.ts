import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { at, create, sign, type TusLibrary, type TusUpload } from './tus-client.ts';
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

const PIECE = { 'Content-Type': 'application/offset+octet-stream' };
const sha1 = (bytes: Uint8Array) => `sha1 ${createHash('sha1').update(bytes).digest('base64')}`;

async function opened(answer: Response, guid: string): Promise<TusUpload> {
  const url = answer.headers.get('Location');
  if (answer.status !== 201 || url === null) throw new Error(`POST answered ${answer.status}: ${await answer.text()}`);
  return at(url, sign(library, guid));
}

const length = (bytes: number) => ({ 'Upload-Length': String(bytes) });

test('a creation that contains the whole file completes the upload', async () => {
  const guid = await fixture.createVideo();
  const body = randomBytes(50_000);
  const answer = await create(library, guid, { headers: { ...PIECE, ...length(body.length) }, body });
  expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([201, '50000']);
  expect(await fixture.storedSource(guid)).toEqual(body);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 1, originalHash: sha256(body) });
});

test('after a creation that contains the first bytes, PATCH continues the upload', async () => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(50_000);
  const body = bytes.subarray(0, 20_000);
  const headers = { ...PIECE, ...length(bytes.length), 'Upload-Checksum': sha1(body) };
  const answer = await create(library, guid, { headers, body });
  expect(answer.headers.get('Upload-Offset')).toBe('20000');
  const upload = await opened(answer, guid);
  expect((await upload.patch(20_000, bytes.subarray(20_000))).status).toBe(204);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 1, originalHash: sha256(bytes) });
});

test("a creation with a chunk's content type and no body starts at offset 0", async () => {
  const guid = await fixture.createVideo();
  const answer = await create(library, guid, { headers: { ...PIECE, ...length(5) } });
  expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([201, '0']);
});

test.each([
  ['longer than its length', { ...PIECE, ...length(4) }, 413],
  ['of another type', { 'Content-Type': 'video/mp4', ...length(5) }, 415],
  ['without a type', { 'Content-Type': '', ...length(5) }, 415],
  ['with another checksum', { ...PIECE, ...length(5), 'Upload-Checksum': sha1(Buffer.from('other')) }, 460],
  ['and a malformed checksum', { ...PIECE, ...length(5), 'Upload-Checksum': 'md5 YQ==' }, 400],
  ['and a malformed length', { ...PIECE, 'Upload-Length': 'five' }, 400],
  ['of a final upload', { ...PIECE, 'Upload-Concat': 'final;/tusupload/0190163d-8694-739b-aea5-966c26f8ad91' }, 400],
])('a creation with a body %s leaves nothing behind', async (_, headers, status) => {
  const guid = await fixture.createVideo();
  const answer = await create(library, guid, { headers, body: Buffer.from('12345') });
  expect([answer.status, await fixture.staged(), await fixture.uploads()]).toEqual([status, [], []]);
});

test('a creation with a chunked body that exceeds the length leaves no upload', async () => {
  const guid = await fixture.createVideo();
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('12345'));
      controller.close();
    },
  });
  const answer = await create(library, guid, { headers: { ...PIECE, ...length(4) }, body });
  expect([answer.status, await fixture.staged(), await fixture.uploads()]).toEqual([413, [], []]);
});

test('a creation whose client disconnects during the body leaves no upload', async () => {
  const guid = await fixture.createVideo();
  const socket = connect(fixture.api.port, '127.0.0.1');
  const headers = { Host: 'x', 'Tus-Resumable': '1.0.0', ...sign(library, guid), ...PIECE, ...length(9) };
  const lines = Object.entries({ ...headers, 'Content-Length': '9' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /tusupload HTTP/1.1\r\n${lines.join('')}\r\n12345`);
  await vi.waitFor(async () => expect(await fixture.staged()).toHaveLength(1), { timeout: 20_000 });
  socket.destroy();
  await vi.waitFor(async () => expect([await fixture.staged(), await fixture.uploads()]).toEqual([[], []]), {
    timeout: 20_000,
  });
});

test('the last chunk can set the length and completes the upload', async () => {
  const guid = await fixture.createVideo();
  const bytes = randomBytes(9_000);
  const upload = await opened(await create(library, guid, { headers: { 'Upload-Defer-Length': '1' } }), guid);
  expect((await upload.patch(0, bytes.subarray(0, 5_000))).status).toBe(204);
  const head = await upload.head();
  expect(['Upload-Offset', 'Upload-Length', 'Upload-Defer-Length'].map((name) => head.headers.get(name))).toEqual([
    '5000',
    null,
    '1',
  ]);
  expect((await upload.patch(5_000, bytes.subarray(5_000), length(9_000))).status).toBe(204);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 1, originalHash: sha256(bytes) });
  const after = await upload.head();
  expect([after.headers.get('Upload-Length'), after.headers.get('Upload-Defer-Length')]).toEqual(['9000', null]);
});

test('an empty last chunk can set the length and completes the upload', async () => {
  const guid = await fixture.createVideo();
  const upload = await opened(
    await create(library, guid, { headers: { ...PIECE, 'Upload-Defer-Length': '1' }, body: Buffer.from('12345') }),
    guid,
  );
  const answer = await upload.patch(5, Buffer.alloc(0), length(5));
  expect([answer.status, answer.headers.get('Upload-Offset')]).toEqual([204, '5']);
  expect((await fixture.storedSource(guid)).toString()).toBe('12345');
});

test('rejects a length that changes, is below the received bytes or exceeds the limit', async () => {
  const guid = await fixture.createVideo();
  const upload = await opened(await create(library, guid, { headers: { 'Upload-Defer-Length': '1' } }), guid);
  expect((await upload.patch(0, Buffer.from('12345'))).status).toBe(204);
  const set = async (bytes: number) => (await upload.patch(5, Buffer.from('6'), length(bytes))).status;
  expect([await set(4), await set(5), await set(1e9 + 1)]).toEqual([400, 413, 413]);
  expect((await upload.head()).headers.get('Upload-Defer-Length')).toBe('1');
  expect(await set(8)).toBe(204);
  const again = async (bytes: number) => (await upload.patch(6, Buffer.from('7'), length(bytes))).status;
  expect([await again(9), await again(8)]).toEqual([400, 204]);
});

test('rejects an empty upload with a deferred length', async () => {
  const guid = await fixture.createVideo();
  const upload = await opened(await create(library, guid, { headers: { 'Upload-Defer-Length': '1' } }), guid);
  expect((await upload.patch(0, Buffer.alloc(0), length(0))).status).toBe(400);
  expect(await fixture.loadVideo(guid)).toMatchObject({ status: 0 });
});
