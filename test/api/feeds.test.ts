import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseXml } from '../../src/lib/parse-xml.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addRows } from '../support/rendition-rows.ts';

const VIDEOS = 103;

let api: TestApi;
let path: string;
let collection: string;
beforeAll(async () => {
  api = await startTestApi({ publicUrl: 'https://api.example.com' });
  const made = await api.call('POST', '/library/1/collections', { body: { name: 'Talks & more' } });
  collection = Object(made.body).guid;
  path = `/library/1/collections/${collection}/feed`;
  const { db } = api.database;
  for (let index = 0; index < VIDEOS; index += 1) {
    const title = `Talk ${index}\u0001 <b>`;
    const body = { title, collectionId: collection };
    const { guid } = Object((await api.call('POST', '/library/1/videos', { body })).body);
    if (index % 2 === 0) await addRows(db, guid, [{ rung: 240 }, { rung: 720, chunkBytes: 500 }, { rung: null }]);
    // Earlier versions stored titles with control characters.
    await sql`update media set state = 'finished', title = ${title}, duration_ms = 61400,
      created_at = ${new Date(Date.UTC(2024, 0, 1) + index * 60_000)} where id = ${guid}`.execute(db);
  }
  await sql`update rendition set is_default = true where kind = 'audio'`.execute(db);
}, 120_000);
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const read = (url: string) => api.call('GET', url.replace('https://api.example.com', ''), { key: null });
const change = async (body: object) => Object((await api.call('POST', path, { body })).body);
const itemsOf = (text: string) => (parseXml(text).children[0]?.children ?? []).filter(({ name }) => name === 'item');
const linksOf = (text: string) =>
  (parseXml(text).children[0]?.children ?? [])
    .filter(({ name, namespace }) => name === 'link' && namespace.includes('Atom'))
    .map(({ attributes }) => [attributes.get('rel'), attributes.get('href')]);

test('pages have at most 100 videos, newest first, and link to the next one', async () => {
  const { mediaRssUrl, podcastUrl } = await change({ access: 'public' });
  const first = await read(mediaRssUrl);
  expect(itemsOf(first.text).length).toBe(100);
  expect(itemsOf(first.text)[0]?.children.find(({ name }) => name === 'title')?.content).toBe('Talk 102\uFFFD <b>');
  const next = `${mediaRssUrl}&page=2`;
  expect(linksOf(first.text)).toEqual([
    ['self', mediaRssUrl],
    ['next', next],
  ]);
  const second = await read(next);
  expect(itemsOf(second.text).length).toBe(3);
  expect(linksOf(second.text)).toEqual([['self', next]]);
  const beyond = await read(`${mediaRssUrl}&page=3`);
  expect([beyond.status, itemsOf(beyond.text).length]).toEqual([200, 0]);
  expect((await read(`${podcastUrl}?page=0`)).status).toBe(400);
});

test('enclosures are the largest MP4 file with its size, and only videos with one are episodes', async () => {
  await api.call('POST', '/videolibrary/1', { key: api.first.accountKey, body: { EnableMP4Fallback: true } });
  const { podcastUrl } = await change({ access: 'token' });
  const items = itemsOf((await read(podcastUrl)).text);
  expect(items.length).toBe(50);
  const enclosure = items[0]?.children.find(({ name }) => name === 'enclosure')?.attributes;
  expect(enclosure?.get('url')).toMatch(/^http:\/\/edge\.test\/vz-1\/[0-9a-f-]{36}\/play_720p\.mp4$/);
  expect([enclosure?.get('length'), enclosure?.get('type')]).toEqual(['602', 'video/mp4']);
  expect(items[0]?.children.find(({ name }) => name === 'duration')?.content).toBe('61');
});

test('a private feed requires its secret, which can be renewed and is not shown to read-only keys', async () => {
  const before = await change({ access: 'token' });
  const [address] = String(before.podcastUrl).split('?');
  for (const wrong of ['', '?token=', `?token=${'a'.repeat(43)}`]) {
    expect((await read(`${address}${wrong}`)).status).toBe(404);
  }
  const known = await read(before.podcastUrl);
  expect([known.status, known.headers.get('cache-control')]).toEqual([200, 'private, max-age=300']);
  const after = await change({ renewToken: true });
  expect([(await read(before.podcastUrl)).status, (await read(after.podcastUrl)).status]).toEqual([404, 200]);
  const library = await api.call('GET', '/videolibrary/1', { key: api.first.accountKey });
  const key = String(Object(library.body).ReadOnlyApiKey);
  expect((await api.call('GET', path, { key })).status).toBe(403);
  const rows = await sql<{ token_sealed: Buffer }>`select token_sealed from collection_feed`.execute(api.database.db);
  const token = new URL(after.podcastUrl).searchParams.get('token') ?? '';
  expect(rows.rows[0]?.token_sealed.toString('latin1')).not.toContain(token);
});

test('a reader that has a feed already gets status 304 until it changes', async () => {
  const { podcastUrl } = await change({ access: 'public' });
  const first = await read(podcastUrl);
  expect(first.headers.get('cache-control')).toBe('public, max-age=300');
  const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
  const at = podcastUrl.replace('https://api.example.com', '');
  const second = await api.call('GET', at, { key: null, headers });
  expect([second.status, second.text]).toEqual([304, '']);
  await change({ title: 'Another title' });
  expect((await api.call('GET', at, { key: null, headers })).status).toBe(200);
  const { podcastUrl: secretUrl } = await change({ access: 'token' });
  expect(await change({ access: 'off' })).toMatchObject({ podcastUrl: null, title: 'Another title' });
  for (const url of [podcastUrl, secretUrl]) expect((await read(url)).status).toBe(404);
  expect(await change({ access: 'token' })).toMatchObject({ podcastUrl: secretUrl, title: 'Another title' });
});

test('a feed lists only public videos, even if it requires its secret', async () => {
  const { podcastUrl } = await change({ access: 'token' });
  const guids = async () =>
    itemsOf((await read(podcastUrl)).text).map(
      ({ children }) => children.find(({ name }) => name === 'guid')?.content ?? '',
    );
  const before = await guids();
  const [unlisted = '', hidden = '', ...rest] = before;
  await api.call('POST', `/library/1/videos/${unlisted}`, { body: { visibility: 'unlisted' } });
  await api.call('POST', `/library/1/videos/${hidden}`, { body: { visibility: 'private' } });
  expect(rest.length).toBeGreaterThan(10);
  // The page then has videos of the next one at its end.
  expect((await guids()).slice(0, rest.length)).toEqual(rest);
});
