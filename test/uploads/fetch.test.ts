import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { type Origin, serve, serveHead, startOrigin, status } from './origin.ts';
import { sha256, startUploadFixture, type UploadFixture } from './upload-fixture.ts';

let fixture: UploadFixture;
let origin: Origin;
beforeAll(async () => {
  [fixture, origin] = await Promise.all([startUploadFixture(), startOrigin()]);
  await fixture.startWorker();
});
beforeEach(() => fixture.empty());
afterEach(() => expect(fixture.faults).toEqual([]));
afterAll(async () => {
  await fixture.stop();
  await origin.stop();
});

const file = randomBytes(3_000_000);
const UPLOADED = 1;
const UPLOAD_FAILED = 6;

async function ask(body: object, query = '') {
  const answer = await fixture.call('POST', `/library/1/videos/fetch${query}`, { body });
  return { status: answer.status, body: Object(answer.body), id: Object(answer.body).id as Guid };
}

async function untilStatus(guid: string, wanted: number): Promise<Record<string, unknown>> {
  return await vi.waitFor(
    async () => {
      const video = await fixture.loadVideo(guid);
      expect(video.status).toBe(wanted);
      return video;
    },
    { timeout: 20_000, interval: 50 },
  );
}

async function expectFetched(guid: Guid): Promise<void> {
  await untilStatus(guid, UPLOADED);
  expect((await fixture.storedSource(guid)).equals(file)).toBe(true);
  expect((await fixture.loadRow(guid)).state_reason).toBeNull();
  expect(await fixture.countJobs('process-video', guid)).toBe(1);
  expect(await fixture.staged()).toEqual([]);
  await vi.waitFor(async () => expect((await fixture.loadVideo(guid)).originalHash).toBe(sha256(file)), {
    timeout: 20_000,
  });
}

test('fetches a file with the given headers, and derives the video title from the URL', async () => {
  origin.script(serve(file));
  const answer = await ask({
    url: `${origin.url}/films/Big%20Buck.mp4?token=1`,
    headers: { Authorization: 'Bearer x' },
  });
  expect(answer).toMatchObject({ status: 200, body: { success: true, message: 'OK', statusCode: 200 } });
  expect(answer.id).toMatch(/^[0-9a-f-]{36}$/);
  await expectFetched(answer.id);
  expect((await fixture.loadVideo(answer.id)).title).toBe('Big Buck.mp4');
  expect(origin.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual(
    Array(2).fill(['/films/Big%20Buck.mp4?token=1', 'Bearer x']),
  );
  expect(JSON.stringify(await fixture.database.db.selectFrom('upload').selectAll().execute())).not.toContain('Bearer');
});

test('uses the title, visibility, collection and thumbnail time of the request', async () => {
  origin.script(serve(file));
  const { body } = await fixture.call('POST', '/library/1/collections', { body: { name: 'Films' } });
  const collection = String(Object(body).guid);
  const { id } = await ask(
    { Url: `${origin.url}/a.mp4`, Title: 'Mine', Visibility: 'unlisted' },
    `?collectionId=${collection}&thumbnailTime=2500`,
  );
  await untilStatus(id, UPLOADED);
  expect(await fixture.loadVideo(id)).toMatchObject({ title: 'Mine', collectionId: collection });
  expect(await fixture.loadRow(id)).toMatchObject({ thumbnail_time_ms: 2_500, visibility: 'unlisted' });
});

test('follows a chain of redirects to the file', async () => {
  const hop = (n: number) => status(302, { Location: `${origin.url}/${n}` });
  origin.script(hop(1), hop(2), serve(file), hop(1), hop(2), hop(3), serve(file));
  const { id } = await ask({ url: `${origin.url}/0` });
  await expectFetched(id);
  expect((await fixture.loadVideo(id)).title).toBe('0');
});

test('treats an empty array as no headers, because PHP encodes an empty map as an array', async () => {
  origin.script(serve(file));
  await expectFetched((await ask({ url: `${origin.url}/a`, headers: [] })).id);
});

test('fetches a file without a Content-Length', async () => {
  origin.script((_request, response) => response.writeHead(200).end(file));
  await expectFetched((await ask({ url: `${origin.url}/a` })).id);
});

test.each([
  ['stalls', serveHead(file, 1_500_000, () => undefined)],
  ['drops the connection', serveHead(file, 1_500_000, (response) => response.destroy())],
])('resumes at the last byte after an origin %s in the middle and then responds with 5xx', async (_, interrupted) => {
  origin.script(serve(file), interrupted, status(503), status(500), serve(file));
  await expectFetched((await ask({ url: `${origin.url}/a` })).id);
  const ranges = origin.seen.map(({ range }) => range);
  expect(ranges.slice(0, 2)).toEqual([undefined, undefined]);
  expect(new Set(ranges.slice(2)).size).toBe(1);
  expect(Number(/^bytes=(\d+)-$/.exec(ranges.at(-1) ?? '')?.[1])).toBeGreaterThan(0);
});

test.each([
  ['responds with 403', () => status(403), 'Origin returned HTTP 403 (Forbidden).'],
  ['responds with 503', () => status(503), 'Origin returned HTTP 503 (Service Unavailable).'],
  ['sends nothing', () => status(200, { 'Content-Length': '0' }), 'empty'],
  ['redirects to a private address', () => status(302, { Location: 'http://10.0.0.1/' }), 'not allowed'],
  ['redirects to cloud credentials', () => status(302, { Location: 'http://169.254.169.254/' }), 'not allowed'],
  ['redirects to a local file', () => status(302, { Location: 'file:///etc/passwd' }), 'scheme'],
  ['redirects in a circle', () => status(302, { Location: '/' }), 'redirected more than 5 times'],
  ['announces too many bytes', () => status(200, { 'Content-Length': '2000000000000' }), 'larger'],
])('responds with 400 and the reason, and creates no video, if the origin %s', async (_, script, reason) => {
  origin.script(script());
  const answer = await ask({ url: `${origin.url}/a` });
  expect(answer).toMatchObject({ status: 400, body: { success: false, statusCode: 400 } });
  expect(answer.body.message).toContain(reason);
  expect(Object((await fixture.call('GET', '/library/1/videos')).body).items).toEqual([]);
});

test.each([
  ['no url', {}],
  ['an invalid url', { url: 'hello' }],
  ['another scheme', { url: 'ftp://127.0.0.1/a' }],
  ['credentials in the url', { url: 'http://a:b@127.0.0.1/a' }],
  ['a closed port', { url: 'http://127.0.0.1:1/a' }],
  ['a connection header', { url: 'http://127.0.0.1/a', headers: { Host: 'x' } }],
  ['a header with a line break', { url: 'http://127.0.0.1/a', headers: { A: 'b\r\nHost: x' } }],
])('rejects %s with 400', async (_, body) => {
  expect((await ask(body)).status).toBe(400);
});

test('responds with 404 for an unknown collection, and with 401 for the key of another library', async () => {
  origin.script(serve(file));
  const query = '?collectionId=0190163d-8694-739b-aea5-966c26f8ad91';
  expect((await ask({ url: `${origin.url}/a` }, query)).status).toBe(404);
  const body = { url: `${origin.url}/a` };
  expect((await fixture.call('POST', '/library/2/videos/fetch', { body })).status).toBe(401);
});

test.each([
  ['refuses later', () => [status(410)], 'Origin returned HTTP 410 (Gone).'],
  ['redirects later', () => [status(302, { Location: 'http://192.168.1.1/' })], 'not allowed'],
  ['never recovers', () => [status(500)], 'Origin returned HTTP 500'],
])('if the origin %s, the video reports the reason and accepts another upload', async (_, later, reason) => {
  const [first, ...rest] = [serve(file), ...later()];
  origin.script(first ?? serve(file), ...rest);
  const { id } = await ask({ url: `${origin.url}/a` });
  const video = await untilStatus(id, UPLOAD_FAILED);
  expect(video.transcodingMessages).toEqual([
    expect.objectContaining({ level: 3, value: 'fetch-failed', message: expect.stringContaining(reason) }),
  ]);
  await vi.waitFor(async () => expect([await fixture.uploads(), await fixture.staged()]).toEqual([[], []]), {
    timeout: 20_000,
  });
  expect((await fixture.call('PUT', `/library/1/videos/${id}`, { body: file })).status).toBe(200);
  expect((await fixture.loadVideo(id)).status).toBe(UPLOADED);
});

test('the older path fetches a file once, into a video that waits for its upload', async () => {
  const guid = await fixture.createVideo();
  origin.script(serve(file));
  const path = `/library/1/videos/${guid}/fetch`;
  const first = await fixture.call('POST', path, { body: { url: `${origin.url}/a`, title: 'Other' } });
  expect(first).toMatchObject({ status: 200, body: { success: true } });
  await expectFetched(guid);
  expect((await fixture.loadVideo(guid)).title).toBe('Other');
  expect((await fixture.call('POST', path, { body: { url: `${origin.url}/a` } })).status).toBe(400);
  const unknown = '/library/1/videos/11111111-2222-4333-8444-555555555555/fetch';
  expect((await fixture.call('POST', unknown, { body: { url: `${origin.url}/a` } })).status).toBe(404);
});

test('deleting a video stops its fetch and leaves no object', async () => {
  origin.script(serve(file), serveHead(file, 1_000_000, dripFrom(1_000_000)));
  const { id } = await ask({ url: `${origin.url}/a` });
  await vi.waitFor(async () => expect((await fixture.staged()).length).toBe(1), { timeout: 20_000 });
  expect(await fixture.loadRow(id)).toMatchObject({ state: 'created', state_reason: 'fetching from 127.0.0.1' });
  await fixture.call('DELETE', `/library/1/videos/${id}`);
  await vi.waitFor(async () => expect([await fixture.staged(), await origin.openSockets()]).toEqual([[], 0]), {
    timeout: 20_000,
  });
});

test('a worker that stops releases its fetch, and the next worker continues at the last byte', async () => {
  const other = await startUploadFixture();
  const first = await other.startWorker();
  origin.script(serve(file), serveHead(file, 1_200_000, dripFrom(1_200_000)), serve(file));
  const { body } = await other.call('POST', '/library/1/videos/fetch', { body: { url: `${origin.url}/a` } });
  await vi.waitFor(
    async () => {
      const [id = 'none'] = await other.staged();
      expect(await other.storage.staging.size(id)).toBeGreaterThanOrEqual(1_200_000);
    },
    { timeout: 20_000 },
  );
  await first.stop();
  await other.startWorker();
  await vi.waitFor(async () => expect((await other.loadVideo(Object(body).id)).originalHash).toBe(sha256(file)), {
    timeout: 30_000,
  });
  expect(Number(/^bytes=(\d+)-$/.exec(origin.seen.at(-1)?.range ?? '')?.[1])).toBeGreaterThanOrEqual(1_200_000);
  await other.stop();
});

test('queues a fetch again if its job was lost, but not after the fetch finished', async () => {
  origin.script(serve(file));
  const { id } = await ask({ url: `${origin.url}/a` });
  await expectFetched(id);
  const { db } = fixture.database;
  await db
    .updateTable('upload')
    .set({ created_at: new Date(0) })
    .execute();
  await fixture.sweep();
  expect(await fixture.countJobs('fetch-video', id)).toBe(1);
  const lost = await fixture.createVideo();
  origin.script(status(404));
  const { id: uploadId } = await db.selectFrom('upload').select('id').executeTakeFirstOrThrow();
  await db
    .updateTable('upload')
    .set({ media_id: lost, state: 'open', metadata: JSON.stringify({ sealed: sealed(`${origin.url}/a`) }) })
    .where('id', '=', uploadId)
    .execute();
  await fixture.sweep();
  await untilStatus(lost, UPLOAD_FAILED);
});

function sealed(url: string): string {
  return fixture.secretBox.seal(JSON.stringify({ url, headers: {} })).toString('base64');
}

test('limits a library to 100 concurrent fetches', async () => {
  const guid = await fixture.createVideo();
  const row = { library_id: 1, media_id: guid, method: 'fetch' as const, expires_at: new Date(Date.now() + 60_000) };
  const rows = Array.from({ length: 100 }, () => ({ ...row, id: newGuid() }));
  await fixture.database.db.insertInto('upload').values(rows).execute();
  origin.script(serve(file));
  const answer = await fixture.call('POST', '/library/1/videos/fetch', { body: { url: `${origin.url}/a` } });
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '5']);
  expect(origin.seen).toEqual([]);
});

test('responds with 507 to a fetch of a file that would not fit', async () => {
  origin.script(serve(file));
  fixture.storage.freeBytes = 5e9 + file.length - 1;
  expect((await ask({ url: `${origin.url}/a` })).status).toBe(507);
});

test('rejects a fetch from its own machine unless the operator allows it', async () => {
  const guarded = await startUploadFixture([]);
  origin.script(serve(file));
  const { port } = new URL(origin.url);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
    const body = { url: `http://${host}:${port}/a` };
    const answer = await guarded.call('POST', '/library/1/videos/fetch', { body });
    expect([answer.status, Object(answer.body).message]).toEqual([400, expect.stringContaining('not allowed')]);
  }
  expect(origin.seen).toEqual([]);
  await guarded.stop();
});

/**
 * Returns a script that sends the file's next byte occasionally, so that the connection stays active and never ends.
 */
function dripFrom(start: number): (response: ServerResponse) => void {
  return (response) => {
    let next = start;
    const timer = setInterval(() => {
      response.write(file.subarray(next, next + 1));
      next += 1;
    }, 50);
    response.once('close', () => clearInterval(timer));
  };
}

test.each([
  ['an HLS playlist', '#EXTM3U\n#EXT-X-VERSION:3\n', 'a playlist contains no media. Save the stream as one file'],
  [
    'a DASH manifest',
    '<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011">',
    'Save the stream as one file',
  ],
  ['an HTML page', '<!doctype html><title>Sign in</title>', 'send the bytes of the video or audio file'],
])('rejects a fetch of %s, and states the reason', async (kind, body, advice) => {
  origin.script((_request, response) => void response.end(body));
  const answer = await fixture.call('POST', '/library/1/videos/fetch', { body: { url: `${origin.url}/live.m3u8` } });
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`The origin sent ${kind}`)]);
  expect(answer.text).toContain(advice);
  expect(await fixture.uploads()).toEqual([]);
});
