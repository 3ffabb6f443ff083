import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';

// These tests send requests in the exact format of clients that are generated from the published documents.
let api: TestApi;
let account: string;
beforeAll(async () => {
  api = await startTestApi();
  account = String(api.first.accountKey);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

/** Sends a request as Kiota does: a lower-case key, and every query parameter, even if it has no value. */
async function kiota(method: string, path: string, body?: object) {
  const headers = { accesskey: api.first.libraryKey, accept: 'application/json', 'user-agent': 'kiota-typescript/1' };
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const type = response.headers.get('content-type');
  return { status: response.status, type, body: Object(await response.json()) };
}

const EMPTY = 'itemsPerPage=&orderBy=&page=';

test('Kiota creates, reads, lists, changes and deletes videos and collections', async () => {
  const collection = await kiota('POST', `/library/1/collections?${EMPTY}`, { name: 'Films' });
  expect([collection.status, collection.body.name]).toEqual([200, 'Films']);
  const collectionId = collection.body.guid;
  const made = await kiota('POST', `/library/1/videos?${EMPTY}`, { title: 'A film', collectionId });
  expect(made).toMatchObject({ status: 200, type: 'application/json; charset=utf-8', body: { title: 'A film' } });
  const path = `/library/1/videos/${made.body.guid}`;
  expect((await kiota('GET', `${path}?includeThumbnails=`)).body).toMatchObject({ collectionId, status: 0 });
  const listed = await kiota('GET', `/library/1/videos?collection=${collectionId}&${EMPTY}&search=`);
  expect(listed.body).toMatchObject({ totalItems: 1, currentPage: 1, itemsPerPage: 100 });
  expect((await kiota('POST', path, { title: 'Renamed', collectionId: null })).body).toMatchObject({ success: true });
  const collections = await kiota('GET', `/library/1/collections?includeThumbnails=&${EMPTY}&search=`);
  expect(collections.body.items).toMatchObject([{ guid: collectionId, previewImageUrls: [] }]);
  const statistics = await kiota('GET', '/library/1/statistics?dateFrom=&dateTo=&hourly=&videoGuid=');
  expect([statistics.status, Object.keys(statistics.body.viewsChart).length]).toEqual([200, 31]);
  expect((await kiota('DELETE', path)).body).toMatchObject({ success: true });
  expect((await kiota('DELETE', `/library/1/collections/${collectionId}`)).body).toMatchObject({ success: true });
});

test('Kiota sends bodies packed with gzip, whose unpacked size is limited', async () => {
  const send = async (body: Buffer) => {
    const headers = { accesskey: api.first.libraryKey, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const response = await fetch(`${api.url}/library/1/videos`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    return { status: response.status, body: Object(await response.json()) };
  };
  expect(await send(gzipSync('{"title":"Packed"}'))).toMatchObject({ status: 200, body: { title: 'Packed' } });
  expect((await send(gzipSync(`{"title":"${'x'.repeat(2 ** 21)}"}`))).status).toBe(413);
  expect((await send(Buffer.from('{"title":"Not packed"}'))).status).toBe(400);
});

const terraform = (method: string, path: string, body?: object) => api.call(method, path, { key: account, body });

test('a second Terraform apply of a library changes nothing', async () => {
  const made = await terraform('POST', '/videolibrary', { Name: 'Infrastructure', ReplicationRegions: ['DE', 'NY'] });
  const { Id, PullZoneId, ApiKey } = Object(made.body);
  expect(made.status).toBe(201);
  const path = `/videolibrary/${Id}`;
  // The Terraform provider sends back the whole model that it read, with the changed fields.
  const read = Object((await terraform('GET', path)).body);
  const planned = { ...read, EnableTokenAuthentication: true, WatermarkPositionLeft: 5, EncodingTier: 1 };
  const applied = await terraform('POST', path, planned);
  expect([applied.status, applied.body]).toMatchObject([200, { Id, Name: 'Infrastructure', WatermarkPositionLeft: 5 }]);
  const again = await terraform('POST', path, Object(applied.body));
  const { DateModified } = Object(again.body);
  expect([again.status, again.body]).toEqual([200, { ...Object(applied.body), DateModified }]);
  expect(Object((await terraform('GET', `/pullzone/${PullZoneId}`)).body).ZoneSecurityEnabled).toBe(true);
  // The Terraform provider parses these fields as unsigned integers.
  for (const name of ['EncodingTier', 'WatermarkPositionLeft', 'WatermarkWidth', 'CaptionsFontSize', 'DrmVersion']) {
    expect([name, Number.isSafeInteger(read[name]) && read[name] >= 0]).toEqual([name, true]);
  }
  await expectResources(Id, ApiKey);
  expect((await terraform('DELETE', path)).status).toBeLessThan(300);
  expect((await terraform('GET', path)).status).toBe(404);
});

/** Applies a collection and a video of a library, with the field names and extra fields that the provider sends. */
async function expectResources(id: number, key: string): Promise<void> {
  const call = (method: string, path: string, body?: object) =>
    api.call(method, `/library/${id}${path}`, { key, body });
  const collection = await call('POST', '/collections', { Name: 'Films' });
  const { guid: collectionId } = Object(collection.body);
  expect([collection.status, collection.body]).toMatchObject([200, { name: 'Films', videoLibraryId: id }]);
  const { body: video } = await call('POST', '/videos', { title: 'A film', collectionId });
  const { guid } = Object(video);
  const change = { guid, videoLibraryId: id, title: 'Renamed', collectionId, chapters: [], moments: [], metaTags: [] };
  expect((await call('POST', `/videos/${guid}`, change)).body).toMatchObject({ success: true, statusCode: 200 });
  expect((await call('GET', `/videos/${guid}`)).body).toMatchObject({ guid, title: 'Renamed', collectionId });
  const renamed = { Name: 'Series', guid: collectionId, videoLibraryId: id };
  expect((await call('POST', `/collections/${collectionId}`, renamed)).body).toMatchObject({ success: true });
  for (const path of [`/videos/${guid}`, `/collections/${collectionId}`]) {
    expect((await call('DELETE', path)).status).toBe(200);
    expect((await call('GET', path)).status).toBe(404);
  }
  expect((await call('GET', `/videos/${newGuid()}`)).status).toBe(404);
}

test('the server part of @seshuk/payload-storage-bunny creates, uploads, reads and deletes videos', async () => {
  const headers = { Accept: 'application/json', AccessKey: api.first.libraryKey };
  const ask = async (method: string, path: string, body?: BodyInit, key = headers.AccessKey) => {
    const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
    const url = `${api.url}/library/1/videos${path}`;
    const answer = await fetch(url, {
      method,
      headers: { ...headers, ...type, AccessKey: key },
      ...(body && { body }),
    });
    return { status: answer.status, body: Object(await answer.json()) };
  };
  const made = await ask('POST', '', JSON.stringify({ title: 'a film.mp4', thumbnailTime: null }));
  expect(made).toMatchObject({ status: 200, body: { title: 'a film.mp4', videoLibraryId: 1 } });
  const path = `/${String(made.body.guid)}`;
  expect((await ask('PUT', path, Buffer.from('bytes of a video'))).body).toMatchObject({ success: true });
  expect((await ask('GET', path)).body).toMatchObject({ guid: made.body.guid });
  expect((await ask('GET', `${path}/resolutions`)).body.data).toMatchObject({ availableResolutions: [] });
  expect((await ask('DELETE', path)).body).toMatchObject({ success: true });
  expect((await ask('GET', path)).status).toBe(404);
  expect((await ask('GET', path, undefined, 'a wrong key')).status).toBe(401);
});

test('the official Python class lists, creates, uploads, changes and deletes videos and captions', async () => {
  // It sends the type of JSON with every request, and names of parameters that the hosted API does not have.
  const headers = { AccessKey: api.first.libraryKey, 'Content-Type': 'application/json' };
  const ask = async (method: string, path: string, body?: BodyInit) => {
    const answer = await fetch(`${api.url}/library/1/videos${path}`, { method, headers, ...(body && { body }) });
    return { status: answer.status, body: Object(await answer.json()) };
  };
  const made = await ask('POST', '', JSON.stringify({ title: 'A film' }));
  const path = `/${String(made.body.guid)}`;
  const listed = await ask('GET', '?page=1&per_page=10&sort_by=date&search=film');
  expect(listed.body.items).toMatchObject([{ guid: made.body.guid }]);
  expect((await ask('PUT', path, Buffer.from('bytes of a video'))).body).toMatchObject({ success: true });
  expect((await ask('POST', path, JSON.stringify({ title: 'Renamed' }))).body).toMatchObject({ success: true });
  const captionsFile = Buffer.from('WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n').toString('base64');
  const captions = JSON.stringify({ captionsFile, srclang: 'en', label: 'English' });
  expect((await ask('POST', `${path}/captions/en`, captions)).body).toMatchObject({ success: true });
  expect((await ask('GET', path)).body).toMatchObject({ title: 'Renamed', captions: [{ srclang: 'en' }] });
  expect((await ask('DELETE', `${path}/captions/en`)).body).toMatchObject({ success: true });
  expect((await ask('DELETE', path)).body).toMatchObject({ success: true });
  expect((await ask('GET', path)).status).toBe(404);
});
