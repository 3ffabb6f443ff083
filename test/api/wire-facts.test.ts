import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createS3Storage } from '../../src/adapters/storage/s3-storage.ts';
import { createTimedStorage } from '../../src/adapters/storage/timed-storage.ts';
import { openDatabase } from '../../src/catalog/db.ts';
import { startS3Stub } from '../ports/s3-stub.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const OK = { success: true, message: 'OK', statusCode: 200 };
const DENIED = {
  Success: false,
  Message: 'Authentication has been denied for this request.',
  StatusCode: 401,
};

async function createVideo(title: string): Promise<string> {
  const { body } = await api.call('POST', '/library/1/videos', { body: { title } });
  return String(Object(body).guid);
}

test('matches field names case-insensitively and ignores unknown ones', async () => {
  const { status, body } = await api.call('POST', '/library/1/collections', {
    body: { NAME: 'Loose', guid: 'x', videoLibraryId: 9 },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: 'Loose', videoLibraryId: 1 });
});

test.each([['application/json'], ['application/json; charset=utf-8'], ['text/plain'], ['nonsense']])(
  'parses a JSON body regardless of its content type (%s)',
  async (type) => {
    const headers = { 'Content-Type': type };
    const { status } = await api.call('POST', '/library/1/videos', { headers, body: '{"title":"T"}' });
    expect(status).toBe(200);
  },
);

test('accepts an empty body with a JSON content type', async () => {
  const guid = await createVideo('Empty bodies');
  const headers = { 'Content-Type': 'application/json' };
  expect((await api.call('GET', `/library/1/videos/${guid}`, { headers })).status).toBe(200);
  expect((await api.call('POST', `/library/1/videos/${guid}`, { headers })).body).toEqual(OK);
  expect((await api.call('DELETE', `/library/1/videos/${guid}`, { headers })).body).toEqual(OK);
});

test.each([
  ['page=&itemsPerPage=&orderBy=&search=', { currentPage: 1, itemsPerPage: 100 }],
  ['page=abc&itemsPerPage=1e3', { currentPage: 1, itemsPerPage: 100 }],
  ['page=99999999999', { currentPage: 1, itemsPerPage: 100 }],
  ['page=0&itemsPerPage=0', { currentPage: 1, itemsPerPage: 1 }],
  ['page=-4&itemsPerPage=-4', { currentPage: 1, itemsPerPage: 1 }],
  ['PAGE=2&ITEMSPERPAGE=5000', { currentPage: 2, itemsPerPage: 1000 }],
  ['page=2147483647&itemsPerPage=1000', { currentPage: 2147483647, itemsPerPage: 1000 }],
  ['per_page=7&sort_by=x&orderBy=nothing&search=%00%ff', { currentPage: 1, itemsPerPage: 100 }],
])(
  'replaces invalid values in the query "%s" by defaults, and returns the values that it used',
  async (query, expected) => {
    for (const list of ['videos', 'collections']) {
      const { status, body } = await api.call('GET', `/library/1/${list}?${query}`);
      expect(status).toBe(200);
      expect(body).toMatchObject(expected);
      expect(Object.keys(Object(body))).toEqual(['totalItems', 'currentPage', 'itemsPerPage', 'items']);
    }
  },
);

test.each([
  ['GET', '/library/1/videos/not-a-guid'],
  ['GET', '/library/1/videos/00000000-0000-0000-0000-000000000000%0a'],
  ['GET', '/library/1/videos/%00'],
  ['DELETE', '/library/1/videos/00000000-0000-0000-0000-000000000000'],
  ['POST', '/library/1/videos/00000000-0000-0000-0000-000000000000'],
  ['PUT', '/library/1/videos/00000000-0000-0000-0000-000000000000'],
  ['POST', '/library/1/videos/00000000-0000-0000-0000-000000000000/reencode'],
  ['GET', '/library/1/collections/xyz'],
  ['POST', '/library/1/collections/00000000-0000-0000-0000-000000000000'],
  ['DELETE', '/library/1/collections/00000000-0000-0000-0000-000000000000'],
  ['GET', '/nowhere'],
  ['GET', '/library/%zz/videos'],
])('%s %s returns 404 with a status body', async (method, path) => {
  const { status, body } = await api.call(method, path);
  expect(status).toBe(404);
  expect(body).toEqual({ success: false, message: expect.any(String), statusCode: 404 });
});

test.each([
  [null, '/library/1/videos'],
  ['', '/library/1/videos'],
  ['wrong', '/library/1/videos'],
  ['wrong', '/library/1/videos/not-a-guid'],
  ['wrong', '/library/999/videos'],
  ['wrong', '/library/abc/videos'],
])('rejects the key %j on %s with 401 before any other check', async (key, path) => {
  const { status, body } = await api.call('GET', path, { key });
  expect(status).toBe(401);
  expect(body).toEqual(DENIED);
});

test('every response has its own X-Request-Id', async () => {
  const paths = ['/library/1/videos', '/library/1/videos/x', '/nowhere', '/healthz', '/library/%zz/videos'];
  const answers = await Promise.all(paths.map((path) => api.call('GET', path)));
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  expect(ids.every((id) => id !== null && /^[0-9a-f-]{36}$/.test(id))).toBe(true);
  expect(new Set(ids).size).toBe(paths.length);
});

test.each([
  [{}],
  [{ title: '' }],
  [{ title: 5 }],
  [{ title: null }],
  [{ title: '\0' }],
  [{ title: 'T', thumbnailTime: 'soon' }],
  [{ title: 'T', thumbnailTime: 2 ** 31 }],
  [{ title: 'T', collectionId: 'x' }],
  [{ title: 'T', collectionId: '00000000-0000-0000-0000-000000000000' }],
  ['{"title":'],
  ['[1]'],
  ['"text"'],
])('rejects creating a video from %j with 400 and a status body that explains why', async (body) => {
  const answer = await api.call('POST', '/library/1/videos', { body });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({ success: false, message: expect.any(String), statusCode: 400 });
});

test.each(['{"title":', '{"title":""}', '{"chapters":5}', '{"metaTags":[{"property":{}}]}'])(
  'rejects an impossible update with 400, which the published OpenAPI document does not list (%s)',
  async (body) => {
    const guid = await createVideo('Stays');
    const answer = await api.call('POST', `/library/1/videos/${guid}`, { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ success: false, message: expect.any(String), statusCode: 400 });
  },
);

test('limits a title to 1,000 characters in every kind of request', async () => {
  const guid = await createVideo('x'.repeat(1_000));
  const title = 'x'.repeat(1_001);
  const sent: [string, object][] = [
    ['/library/1/videos', { title }],
    [`/library/1/videos/${guid}`, { title }],
    ['/library/1/videos/fetch', { title, url: 'http://127.0.0.1:1/a.mp4' }],
    ['/library/1/collections', { name: title }],
  ];
  for (const [path, body] of sent) {
    const answer = await api.call('POST', path, { body });
    expect([path, answer.status, Object(answer.body).success]).toEqual([path, 400, false]);
  }
});

test('accepts quoted and integral numbers, and rejects other strings', async () => {
  const guid = await createVideo('Numbers');
  const body = '{"chapters":[{"title":"A","start":"0","end":"12.0"},{"title":"B","start":12.0,"end":20}]}';
  expect((await api.call('POST', `/library/1/videos/${guid}`, { body })).body).toEqual(OK);
  expect((await api.call('GET', `/library/1/videos/${guid}`)).body).toMatchObject({
    chapters: [
      { title: 'A', start: 0, end: 12 },
      { title: 'B', start: 12, end: 20 },
    ],
  });
  expect((await api.call('POST', '/library/1/videos', { body: { title: '5', thumbnailTime: '1000' } })).status).toBe(
    200,
  );
  for (const start of ['"soon"', '""', '"1e3"', '"0x10"', '1.5', '"1.5"', '"99999999999"', 'true', '[1]']) {
    const wrong = `{"chapters":[{"title":"A","start":${start},"end":1}]}`;
    expect([start, (await api.call('POST', `/library/1/videos/${guid}`, { body: wrong })).status]).toEqual([
      start,
      400,
    ]);
  }
});

test('redirects the URL of a player page to the edge with its query', async () => {
  const guid = await createVideo('Opened');
  const open = (path: string) => fetch(`${api.url}${path}`, { redirect: 'manual' });
  const answer = await open(`/play/1/${guid}?token=a%20b&expires=1`);
  expect([answer.status, answer.headers.get('location')]).toEqual([
    302,
    `http://edge.test/play/1/${guid}?token=a%20b&expires=1`,
  ]);
  expect((await open('/play/1/x')).status).toBe(404);
  expect((await open(`/play/x/${guid}`)).status).toBe(404);
});

test('accepts NUL characters and unpaired surrogates in text', async () => {
  const guid = await createVideo('a\0b');
  const metaTags = [{ property: '\ud800x\0', value: '\0' }];
  expect((await api.call('POST', `/library/1/videos/${guid}`, { body: { metaTags } })).body).toEqual(OK);
  const { body } = await api.call('GET', `/library/1/videos/${guid}`);
  expect(body).toMatchObject({ title: 'ab', metaTags: [{ property: '\ufffdx', value: '' }] });
  expect((await api.call('GET', '/library/1/videos?search=a%00b')).body).toMatchObject({ totalItems: 1 });
});

test('treats names such as __proto__ in a body like any other name', async () => {
  const body = '{"title":"Proto","__proto__":{"collectionId":"x"},"constructor":1}';
  expect((await api.call('POST', '/library/1/videos', { body })).status).toBe(200);
});

test('rejects a body above its limit with 413, with and without a Content-Length', async () => {
  const large = JSON.stringify({ title: 'x'.repeat(2 ** 20) });
  expect((await api.call('POST', '/library/1/videos', { body: large })).status).toBe(413);
  const head = 'POST /library/1/videos HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n';
  const chunk = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
  const answer = await raw(`${head}AccessKey: ${api.first.libraryKey}\r\n\r\n${chunk}`);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
});

test('the health endpoint requires no key', async () => {
  expect((await api.call('GET', '/healthz', { key: null })).body).toEqual({ status: 'ok' });
});

test('a search matches a part of the title case-insensitively, and matches % and _ literally', async () => {
  await createVideo('Needle 100%_sure');
  const search = async (text: string) =>
    Object((await api.call('GET', `/library/1/videos?search=${encodeURIComponent(text)}`)).body);
  expect(await search('nEEDle')).toMatchObject({ totalItems: 1, items: [{ title: 'Needle 100%_sure' }] });
  expect(await search('0%_s')).toMatchObject({ totalItems: 1 });
  expect(await search('%needle')).toMatchObject({ totalItems: 0, items: [] });
});

test('responds with 503 and Retry-After while the database is down', async () => {
  const away = openDatabase({ host: '/nonexistent', user: 'x', database: 'x' }, () => {});
  const other = await startTestApi({ db: away.db });
  const answer = await other.call('GET', '/library/1/videos');
  await other.stop();
  await away.close();
  api.faults.splice(0);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.body).toMatchObject({ success: false, statusCode: 503 });
});

test('responds with 503 promptly, naming the object store, when the store hangs or returns errors', async () => {
  const stub = await startS3Stub();
  const credentials = { accessKeyId: 'stub', secretAccessKey: 'stub' };
  const store = createS3Storage({ url: stub.url, credentials, maxAttempts: 1 });
  const other = await startTestApi({ storage: createTimedStorage(store, 1_000) });
  const { body } = await other.call('POST', '/library/1/videos', { body: { title: 'Stored elsewhere' } });
  const captions = { body: { captionsFile: Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\na\n').toString('base64') } };
  const add = () => other.call('POST', `/library/1/videos/${Object(body).guid}/captions/en`, captions);
  for (const fault of ['silence', { status: 500, code: 'InternalError' }] as const) {
    stub.fail('Put', fault);
    const answer = await add();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.body).toMatchObject({ success: false, message: expect.stringMatching(/^The object store cannot/) });
  }
  expect((await add()).status).toBe(200);
  await other.stop();
  await stub.stop();
  api.faults.splice(0);
});

async function raw(request: string): Promise<string> {
  const socket = connect(api.api.port, '127.0.0.1');
  socket.write(request);
  return await readText(socket);
}
