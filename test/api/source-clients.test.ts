import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../support/api.ts';

// These tests send requests in the exact format of clients whose source is public, but which cannot run here.
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

type Sender = (
  method: string,
  path: string,
  body?: BodyInit,
) => Promise<{ status: number; body: Record<string, unknown> }>;

/** Returns a client that sends these headers with each request to library 1, and bodies unchanged. */
function clientWith(headers: Record<string, string>): Sender {
  return async (method, path, body) => {
    const all = { AccessKey: api.first.libraryKey, ...headers };
    const answer = await fetch(`${api.url}/library/1${path}`, { method, headers: all, ...(body && { body }) });
    return { status: answer.status, body: Object(await answer.json()) };
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const BYTES_TYPE = { Accept: 'application/json', 'Content-Type': 'application/octet-stream' };
const CAPTIONS = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n').toString('base64');
const done = { status: 200, body: { success: true } };

/** Creates a video with the request body of a client. Returns its path. */
async function create(send: Sender, body: string, title: string): Promise<string> {
  const made = await send('POST', '/videos', body);
  expect(made).toMatchObject({ status: 200, body: { title, status: 0 } });
  return `/videos/${String(made.body.guid)}`;
}

test('the official PHP class lists, creates, changes, uploads and deletes videos and captions', async () => {
  const send = clientWith(JSON_TYPE);
  const path = await create(send, JSON.stringify({ title: 'A film' }), 'A film');
  const listed = await send('GET', '/videos?page=1&per_page=10&sort_by=date&search=film');
  expect(listed.body).toMatchObject({ totalItems: 1, items: [{ title: 'A film' }] });
  // Absent values are null.
  expect(await send('POST', path, JSON.stringify({ title: 'Renamed', collectionId: null }))).toMatchObject(done);
  // PHP writes an empty array as `[]`. The address is in the query.
  const url = encodeURIComponent('http://127.0.0.1:1/image.jpg');
  const refused = await send('POST', `${path}/thumbnail?thumbnailUrl=${url}`, '[]');
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('127.0.0.1') } });
  const captions = JSON.stringify({ captionsFile: CAPTIONS, srclang: 'en' });
  expect(await send('POST', `${path}/captions/en`, captions)).toMatchObject(done);
  expect((await send('GET', path)).body).toMatchObject({ title: 'Renamed', captions: [{ srclang: 'en' }] });
  expect(await send('DELETE', `${path}/captions/en`)).toMatchObject(done);
  expect(await send('PUT', path, Buffer.from('bytes of a video'))).toMatchObject(done);
  expect(await send('DELETE', path)).toMatchObject(done);
  expect((await send('GET', path)).status).toBe(404);
});

test('the official Java class lists, creates, changes, uploads and deletes videos', async () => {
  const send = clientWith(JSON_TYPE);
  const path = await create(send, JSON.stringify({ title: 'A film' }), 'A film');
  const listed = await send('GET', '/videos?page=1&perPage=10&sortBy=date&search=film');
  expect(listed.body).toMatchObject({ totalItems: 1, items: [{ title: 'A film' }] });
  expect(await send('POST', path, JSON.stringify({ title: 'Renamed' }))).toMatchObject(done);
  expect(await send('PUT', path, Buffer.from('bytes of a video'))).toMatchObject(done);
  expect(await send('DELETE', path)).toMatchObject(done);
});

test('toshy/bunnynet-php sends flags as words, and types of bodies also without one', async () => {
  const json = clientWith({ Accept: 'application/json', ...JSON_TYPE });
  const bytes = clientWith(BYTES_TYPE);
  const path = await create(json, JSON.stringify({ title: 'A film', thumbnailTime: 500 }), 'A film');
  const captions = JSON.stringify({ srclang: 'en', label: 'English', captionsFile: CAPTIONS });
  expect(await json('POST', `${path}/captions/en`, captions)).toMatchObject(done);
  const refused = await bytes(
    'POST',
    `${path}/thumbnail?thumbnailUrl=${encodeURIComponent('http://127.0.0.1:1/a.jpg')}`,
  );
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('127.0.0.1') } });
  const options = 'jitEnabled=false&enabledResolutions=240p%2C360p&transcribeEnabled=false&generateTitle=false';
  expect(await bytes('PUT', `${path}?${options}`, Buffer.from('bytes of a video'))).toMatchObject(done);
  expect(await json('DELETE', path)).toMatchObject(done);
});

test('the Kirby plugin finds collections, uploads videos into them, and deletes both', async () => {
  // Guzzle sends the type of JSON with every request, also without a body.
  const send = clientWith(JSON_TYPE);
  expect((await send('GET', '/collections')).body.items).toEqual([]);
  const made = await send('POST', '/collections', JSON.stringify({ name: 'Site' }));
  const collectionId = String(made.body.guid);
  const path = await create(send, JSON.stringify({ title: 'a film.mp4', collectionId }), 'a film.mp4');
  const listed = await send('GET', `/videos?itemsPerPage=100&search=a%20film.mp4&collection=${collectionId}`);
  expect(listed.body.items).toMatchObject([{ title: 'a film.mp4', collectionId }]);
  expect(await clientWith(BYTES_TYPE)('PUT', path, Buffer.from('bytes of a video'))).toMatchObject(done);
  expect((await send('GET', `/collections/${collectionId}`)).body).toMatchObject({ videoCount: 1 });
  expect(await send('DELETE', path)).toMatchObject(done);
  expect(await send('DELETE', `/collections/${collectionId}`)).toMatchObject(done);
});

test('the Craft plugin sends JSON of any kind', async () => {
  const send = clientWith({ accept: 'application/json', 'content-type': 'application/*+json' });
  const path = await create(send, '{"title":"A film"}', 'A film');
  expect((await send('GET', '/videos?page=1&itemsPerPage=1000')).body).toMatchObject({ totalItems: 1 });
  const metaTags = [{ property: 'craft_thumbnail_id', value: '12' }];
  expect(await send('POST', path, JSON.stringify({ title: 'Renamed', metaTags }))).toMatchObject(done);
  expect((await send('GET', path)).body).toMatchObject({ title: 'Renamed', metaTags });
  expect(await send('DELETE', path)).toMatchObject(done);
});

test('the Statamic plugin creates a video with a time as text, and lists videos', async () => {
  const send = clientWith({ accept: 'application/json', 'content-type': 'application/*+json' });
  const path = await create(send, '{"title": "a film.mp4", "thumbnailTime": "1500"}', 'a film.mp4');
  expect((await send('GET', '/videos?page=1&itemsPerPage=10&orderBy=date')).body).toMatchObject({ totalItems: 1 });
  expect(await send('DELETE', path)).toMatchObject(done);
});

test('the iOS and Android SDKs create, upload and delete videos, and load the settings of the player', async () => {
  const json = clientWith({ Accept: 'application/json', ...JSON_TYPE });
  const path = await create(json, JSON.stringify({ title: 'A film' }), 'A film');
  const videoId = path.slice('/videos/'.length);
  const headers = { 'Content-Type': 'application/octet-stream' };
  expect(await clientWith(headers)('PUT', path, Buffer.from('bytes of a video'))).toMatchObject(done);
  // The player has no key. It sends the URL of the hosted player as referrer.
  const player = { Accept: 'application/json', Referer: 'https://iframe.mediadelivery.net/' };
  const answer = await fetch(`${api.url}/library/1${path}/play`, { headers: player });
  expect([answer.status, await answer.json()]).toMatchObject([200, { video: { guid: videoId, title: 'A film' } }]);
  expect(await json('DELETE', path)).toMatchObject(done);
});

test('the official TypeScript client sends all parameters as texts, and omits absent fields', async () => {
  const accept = { Accept: 'application/json, */*;q=0.8' };
  const send = clientWith(accept);
  const json = clientWith({ ...accept, ...JSON_TYPE });
  const path = await create(json, JSON.stringify({ title: 'A film', collectionId: '' }), 'A film');
  const listed = await send('GET', '/videos?page=1&itemsPerPage=100&search=film&collection=&orderBy=date');
  expect(listed.body).toMatchObject({ totalItems: 1, currentPage: 1, items: [{ title: 'A film' }] });
  // Dates are ISO 8601 with a time, and flags are words.
  const range = `dateFrom=${encodeURIComponent('2026-11-01T00:00:00.000Z')}&dateTo=2026-11-02T00%3A00%3A00.000Z`;
  const statistics = await send('GET', `/statistics?${range}&hourly=false&videoGuid=${path.slice('/videos/'.length)}`);
  expect(statistics).toMatchObject({ status: 200, body: { viewsChart: expect.any(Object) } });
  const captions = JSON.stringify({ srclang: 'en', label: 'English', captionsFile: CAPTIONS });
  expect(await json('POST', `${path}/captions/en`, captions)).toMatchObject(done);
  const change = { title: 'Renamed', chapters: [{ title: 'a', start: 0, end: 1 }], moments: [], metaTags: [] };
  expect(await json('POST', path, JSON.stringify(change))).toMatchObject(done);
  expect((await send('GET', path)).body).toMatchObject({ title: 'Renamed', chapters: [{ title: 'a' }] });
  expect(await send('GET', `${path}/heatmap`)).toMatchObject({ status: 200 });
  expect(await send('GET', `${path}/play?token=&expires=0`)).toMatchObject({ status: 200 });
  expect(await send('DELETE', path)).toMatchObject(done);
});

test('the WordPress plugin finds the library and its collections, and creates, lists and shows videos', async () => {
  const core = async (path: string) => {
    const answer = await fetch(`${api.url}/${path}`, { headers: { AccessKey: api.first.accountKey ?? '' } });
    return [answer.status, await answer.json()] as const;
  };
  const [status, libraries] = await core('videolibrary');
  expect([status, Object(libraries)[0]]).toMatchObject([200, { Id: 1, PlayerTokenAuthenticationEnabled: false }]);
  const [, library] = await core('videolibrary/1');
  expect(library).toMatchObject({ ApiKey: api.first.libraryKey, PullZoneId: expect.any(Number) });
  const send = clientWith(JSON_TYPE);
  const made = await send('POST', '/collections', JSON.stringify({ name: 'Site' }));
  const collections = await send('GET', '/collections?itemsPerPage=1000');
  expect(collections.body.items).toMatchObject([{ guid: made.body.guid, videoLibraryId: 1, name: 'Site' }]);
  const path = await create(send, JSON.stringify({ title: 'A film' }), 'A film');
  // PHP refuses null in these fields.
  const texts = { guid: expect.any(String), thumbnailFileName: expect.any(String), collectionId: expect.any(String) };
  const numbers = { status: 0, encodeProgress: 0, length: 0 };
  expect((await clientWith({})('GET', path)).body).toMatchObject({ ...texts, ...numbers });
  const listed = await clientWith({})('GET', `/videos?collection=${String(made.body.guid)}`);
  expect(listed.body.items).toEqual([]);
  expect(await send('DELETE', path)).toMatchObject(done);
  expect(await send('DELETE', `/collections/${String(made.body.guid)}`)).toMatchObject(done);
});

/** Returns whether a page of another origin may send a request with these headers. */
async function isAllowed(path: string, method: string, headers: string): Promise<boolean> {
  const answer = await fetch(`${api.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://studio.example.com',
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': headers,
    },
  });
  const allowed = String(answer.headers.get('access-control-allow-headers')).toLowerCase();
  const methods = String(answer.headers.get('access-control-allow-methods'));
  const origin = answer.headers.get('access-control-allow-origin');
  const known = headers.split(',').every((name) => allowed.includes(name));
  return answer.ok && known && methods.includes(method) && ['*', 'https://studio.example.com'].includes(String(origin));
}

test('the Sanity plugin uploads from the page of the studio', async () => {
  const accept = { Accept: 'application/json', Origin: 'https://studio.example.com' };
  const [send, json] = [clientWith(accept), clientWith({ ...accept, ...JSON_TYPE })];
  expect((await send('GET', '/collections?search=Studio&page=1&itemsPerPage=100')).body.items).toEqual([]);
  const made = await json('POST', '/collections', JSON.stringify({ name: 'Studio' }));
  const collectionId = String(made.body.guid);
  const path = await create(json, JSON.stringify({ title: 'A film', collectionId }), 'A film');
  expect(await isAllowed(`/library/1${path}`, 'PUT', 'accesskey,content-type')).toBe(true);
  // The browser adds the type of the file.
  const upload = clientWith({ ...accept, 'Content-Type': 'video/mp4' });
  expect(await upload('PUT', path, Buffer.from('bytes of a video'))).toMatchObject(done);
  expect((await send('GET', path)).body).toMatchObject({ videoLibraryId: 1, collectionId, length: 0, width: 0 });
  expect(await send('DELETE', path)).toMatchObject(done);
  expect(await send('DELETE', `/collections/${collectionId}`)).toMatchObject(done);
});

test('the Strapi provider creates a video, uploads it with a type of its own, and deletes it', async () => {
  const accept = { Accept: 'application/json, text/plain, */*' };
  const send = clientWith({ ...accept, 'content-type': 'application/*+json' });
  const path = await create(send, JSON.stringify({ title: 'a film.mp4', thumbnailTime: 0 }), 'a film.mp4');
  const bytes = new Blob(['bytes of ', 'a video']).stream();
  const headers = { AccessKey: api.first.libraryKey, ...accept, 'content-type': 'application/*+json' };
  const init = { method: 'PUT', headers, body: bytes, duplex: 'half' as const };
  expect((await fetch(`${api.url}/library/1${path}`, init)).status).toBe(200);
  expect(await send('DELETE', path)).toMatchObject(done);
});

test('the WordPress plugin wp-bunny-stream changes chapters and captions, and reads videos', async () => {
  const accept = { Accept: 'application/json' };
  const [send, json] = [clientWith(accept), clientWith({ ...accept, ...JSON_TYPE })];
  const path = await create(json, JSON.stringify({ title: 'A film' }), 'A film');
  const change = { chapters: [{ title: 'Start', start: 0, end: 9 }], moments: [{ label: 'Here', timestamp: 3 }] };
  expect(await json('POST', path, JSON.stringify(change))).toMatchObject(done);
  const captions = JSON.stringify({ srclang: 'fr', label: 'Français', captionsFile: CAPTIONS });
  expect(await json('POST', `${path}/captions/fr`, captions)).toMatchObject(done);
  const shown = { title: 'A film', ...change, captions: [{ srclang: 'fr', label: 'Français' }] };
  expect((await send('GET', path)).body).toMatchObject(shown);
  expect(await clientWith({})('DELETE', `${path}/captions/fr`)).toMatchObject(done);
  // Without a speech engine, the refusal states what to do.
  const speech = JSON.stringify({ sourceLanguage: 'fr', targetLanguages: ['en'], generateTitle: true });
  for (const at of [`${path}/transcribe?force=true`, `${path}/smart`]) {
    expect(await json('POST', at, speech)).toMatchObject({ status: 400, body: { success: false } });
  }
  expect(await clientWith({})('DELETE', path)).toMatchObject(done);
});

test('the Statamic addon jorisnoo/statamic-bunny-stream lists, creates, changes and deletes videos', async () => {
  const send = clientWith({ Accept: 'application/json', ...JSON_TYPE });
  const path = await create(send, JSON.stringify({ title: 'A film', thumbnailTime: 0 }), 'A film');
  const listed = await clientWith({ Accept: 'application/json' })(
    'GET',
    '/videos?page=1&itemsPerPage=100&orderBy=date',
  );
  expect(listed.body).toMatchObject({ totalItems: 1, items: [{ title: 'A film' }] });
  expect(await send('POST', path, JSON.stringify({ title: 'Renamed', chapters: [] }))).toMatchObject(done);
  expect((await send('GET', path)).body).toMatchObject({ title: 'Renamed' });
  // An empty list is the body of a DELETE request.
  expect(await send('DELETE', path, '[]')).toMatchObject(done);
});

test('the Craft plugin jorisnoo/craft-bunny-stream fetches a video by its URL into a collection', async () => {
  const json = clientWith({ Accept: 'application/json', ...JSON_TYPE });
  const made = await json('POST', '/collections', JSON.stringify({ name: 'Site' }));
  const query = `collectionId=${String(made.body.guid)}&thumbnailTime=0`;
  const refused = await json('POST', `/videos/fetch?${query}`, JSON.stringify({ url: 'http://127.0.0.1:1/film.mp4' }));
  expect(refused).toMatchObject({
    status: 400,
    body: { statusCode: 400, message: expect.stringContaining('could not be reached') },
  });
  expect(await json('DELETE', `/collections/${String(made.body.guid)}`)).toMatchObject(done);
});
