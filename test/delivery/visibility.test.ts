import { request } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MediaKey } from '../../src/catalog/db.ts';
import { signEmbedToken } from '../../src/catalog/libraries/embed-token.ts';
import { createPullZoneStore } from '../../src/catalog/pull-zones/pull-zone-store.ts';
import { signFile, signFolder } from '../../src/catalog/pull-zones/verify-url-token.ts';
import { loadZonePolicy } from '../../src/catalog/pull-zones/zone-policy-store.ts';
import { createShareStore, type ShareFields } from '../../src/catalog/shares/share-store.ts';
import { editVideo } from '../../src/catalog/videos/video.ts';
import { createVideoStore } from '../../src/catalog/videos/video-store.ts';
import type { Visibility } from '../../src/catalog/visibility.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

const PATIENCE = { timeout: 60_000 };
const secretBox = createSecretBox(TEST_SECRET);

let fixture: PlayerFixture;
/** Two edges of the same installation. */
let edges: readonly TestEdge[];

beforeAll(async () => {
  fixture = await openPlayerFixture(240, [90]);
  edges = [fixture.edge, await fixture.edges.start()];
});
afterAll(async () => {
  await edges[1]?.close();
  await fixture.close();
});

/** A film with every kind of file, in a library without any rule for viewers. */
async function publish(settings: object = {}): Promise<PublishedFilm> {
  const film = await fixture.publish({ mp4: { enabled: true }, originals: { keep: true, expose: true }, ...settings });
  const write = (name: string) =>
    fixture.edges.storage.write(`${film.libraryId}/${film.mediaId}/${name}`, Buffer.from('WEBVTT\n'));
  const [key, thumbnail_key, source_key] = await Promise.all([write('captions/en-1.vtt'), write('t'), write('source')]);
  const captions = JSON.stringify([{ srclang: 'en', label: 'English', version: 1, key, sizeBytes: 7 }]);
  await fixture.database.db
    .updateTable('media')
    .set({ captions, thumbnail_key, source_key, source_bytes: 7 })
    .where('id', '=', film.mediaId)
    .execute();
  return film;
}

async function setVisibility(film: MediaKey, visibility: Visibility): Promise<void> {
  await createVideoStore(fixture.database.db).change(film, (video) => editVideo(video, { visibility }));
}

async function share(film: MediaKey, fields: Partial<ShareFields> = {}): Promise<string> {
  const store = createShareStore({ db: fixture.database.db, secretBox });
  const wanted = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test', ...fields };
  const { libraryId, mediaId } = film;
  return (await store.create({ libraryId, mediaId }, wanted)).token;
}

async function keyOf({ libraryId }: MediaKey): Promise<string> {
  const policy = await loadZonePolicy({ db: fixture.database.db, secretBox }, { by: 'library', libraryId });
  return policy?.keys.current ?? '';
}

const inSec = (sec: number) => Math.floor(Date.now() / 1000) + sec;

/** Paths below the folder of the film: all its kinds of files. */
function filesOf({ videos, audio }: PublishedFilm): string[] {
  const renditions = [...videos, audio].flatMap(({ renditionId }) => [
    ...[`r/${renditionId}/video.m3u8`, `r/${renditionId}/init.mp4`, `r/${renditionId}/0.m4s`],
    `r/${renditionId}/i-frames.m3u8`,
  ]);
  return [
    ...['playlist.m3u8', 'manifest.mpd', '90p/video.m3u8', 'play_90p.mp4', 'original', 'thumbnail.jpg'],
    ...['captions/en.vtt', 'captions/en.m3u8', 'seek/thumbnails.vtt', 'waveform.json', 'preview.webp'],
    ...renditions,
  ];
}

const statusOf = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, { redirect: 'manual', ...init })).status;

/** Sends a request with any Host header. */
function askHost(edge: TestEdge, host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ port: edge.port, host: '127.0.0.1', path, headers: { Host: host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test('a video that becomes private is refused at every URL of every edge, and plays again later', async () => {
  const film = await publish();
  const { db } = fixture.database;
  const { id } = await db
    .selectFrom('pull_zone')
    .select('id')
    .where('library_id', '=', film.libraryId)
    .executeTakeFirstOrThrow();
  await createPullZoneStore({ db, secretBox }).addHostname(id, 'videos.example');
  const urls = edges.flatMap(({ base }) => [
    `${base}/embed/${film.libraryId}/${film.mediaId}`,
    `${base}/embed/${film.libraryId}/${film.mediaId}/state`,
    `${base}/play/${film.libraryId}/${film.mediaId}`,
    ...filesOf(film).map((file) => `${base}/vz-${film.libraryId}/${film.mediaId}/${file}`),
    `${base}/vz-${film.libraryId}/live/${film.mediaId.replaceAll('-', '')}/playlist.m3u8`,
  ]);
  const isServed = (status: number) => [200, 404, 501].includes(status);
  for (const url of urls) expect([url, isServed(await statusOf(url))]).toEqual([url, true]);
  await setVisibility(film, 'private');
  for (const url of urls) {
    await expect.poll(() => statusOf(url), { ...PATIENCE, message: url }).toBe(403);
    expect(await statusOf(url, { method: 'HEAD' })).toBe(403);
    expect(await statusOf(url, { headers: { Range: 'bytes=0-1' } })).toBe(403);
  }
  const licence = `${edges[0]?.base}/vz-${film.libraryId}/${film.mediaId}/license`;
  expect(await statusOf(licence, { method: 'POST', body: '{"kids":[]}' })).toBe(403);
  for (const edge of edges) {
    const path = `/${film.mediaId}/playlist.m3u8`;
    expect(await askHost(edge, `vz-${film.libraryId}.edge.test`, path)).toBe(403);
    expect(await askHost(edge, 'videos.example', path)).toBe(403);
  }
  await setVisibility(film, 'unlisted');
  for (const url of urls) await expect.poll(async () => isServed(await statusOf(url)), PATIENCE).toBe(true);
});

test('a signed URL opens a file of a private video, which no shared cache keeps', async () => {
  const film = await publish();
  await setVisibility(film, 'private');
  const [key, expiresSec] = [await keyOf(film), inSec(600)];
  const base = `${fixture.edge.base}/vz-${film.libraryId}`;
  const folder = signFolder({ key, folder: `/${film.mediaId}/`, expiresSec, address: null });
  for (const file of filesOf(film)) {
    const response = await fetch(`${base}/${folder}/${film.mediaId}/${file}`);
    expect([200, 404]).toContain(response.status);
    if (response.ok)
      expect([file, response.headers.get('cache-control')]).not.toEqual([file, expect.stringContaining('public')]);
  }
  const segment = `/${film.mediaId}/r/${film.videos[0]?.renditionId}/0.m4s`;
  expect((await fetch(`${base}/${folder}${segment}`)).headers.get('cache-control')).toMatch(/^private/);
  const query = signFile({ key, path: `/${film.mediaId}/play_90p.mp4`, expiresSec, address: null });
  expect(await statusOf(`${base}/${film.mediaId}/play_90p.mp4?${query}`)).toBe(200);
  expect(await statusOf(`${base}/${film.mediaId}/thumbnail.jpg?${query}`)).toBe(403);
  const old = signFolder({ key, folder: `/${film.mediaId}/`, expiresSec: inSec(-1), address: null });
  expect(await statusOf(`${base}/${old}${segment}`)).toBe(403);
  const other = signFolder({ key, folder: `/${newGuid()}/`, expiresSec, address: null });
  expect(await statusOf(`${base}/${other}${segment}`)).toBe(403);
  // The embed token opens the player page, and no file.
  const { token } = signEmbedToken(key, film.mediaId, { expiresSec });
  expect(await statusOf(`${base}${segment}?token=${token}&expires=${expiresSec}`)).toBe(403);
});

/** Returns whether the player in the page, or in its frame, plays. */
async function expectPlaying(page: Page): Promise<void> {
  const isPlaying = async () => {
    const times = page
      .frames()
      .map((frame) => frame.evaluate(() => document.querySelector('video')?.currentTime ?? 0).catch(() => 0));
    return Math.max(...(await Promise.all(times)));
  };
  await expect.poll(isPlaying, PATIENCE).toBeGreaterThan(0.2);
}

test('the player page of a private video plays with an embed token, and else asks for a signed link', async () => {
  const film = await publish();
  await setVisibility(film, 'private');
  const expiresSec = inSec(600);
  const { token } = signEmbedToken(await keyOf(film), film.mediaId, { expiresSec });
  const page = await fixture.browser.newPage();
  const url = `${fixture.edge.base}/embed/${film.libraryId}/${film.mediaId}?autoplay=true&muted=true`;
  const refused = await page.goto(url);
  expect(refused?.status()).toBe(403);
  expect(refused?.headers()['x-millrace-rule']).toBe('10131');
  expect(await page.textContent('body')).toContain('This video needs a signed link');
  const opened = await page.goto(`${url}&token=${token}&expires=${expiresSec}`);
  expect(opened?.headers()['x-robots-tag']).toBe('noindex');
  expect(opened?.headers()['cache-control']).toBe('no-store');
  await expectPlaying(page);
  await page.close();
});

test('a share link of a private video plays it, with a password too, and ends with the share', async () => {
  const film = await publish();
  await setVisibility(film, 'private');
  const page = await fixture.browser.newPage();
  await page.goto(`${fixture.edge.base}/share/${await share(film)}`);
  await page.locator('iframe').first().waitFor();
  const location = (await page.locator('iframe').first().getAttribute('src')) ?? '';
  await page.goto(new URL(`${location}${location.includes('?') ? '&' : '?'}muted=true&autoplay=true`, page.url()).href);
  await page.keyboard.press('k');
  await expectPlaying(page);
  await page.close();
  const token = await share(film, { password: 'a long password', allowsDownload: true });
  const locked = `${fixture.edge.base}/share/${token}`;
  expect(await statusOf(locked)).toBe(403);
  const entered = await fetch(locked, {
    method: 'POST',
    body: new URLSearchParams({ password: 'a long password' }),
    redirect: 'manual',
  });
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const redirectOf = async (part: string) =>
    (await fetch(`${locked}/${part}`, { headers: { cookie }, redirect: 'manual' })).headers.get('location') ?? '';
  const player = fixture.edge.base + (await redirectOf('player'));
  expect(player).toContain('&share=');
  expect(await statusOf(player)).toBe(200);
  expect(await statusOf(player.replace(/&share=[^&]+/, ''))).toBe(403);
  expect(await statusOf(fixture.edge.base + (await redirectOf('download')))).toBe(200);
});

test('a shared collection names public videos only, and plays no other video of the collection', async () => {
  const films = [await publish()];
  const { db } = fixture.database;
  const [film] = films as [PublishedFilm];
  const collection = { library_id: film.libraryId, id: newGuid(), name: 'Course' };
  await db.insertInto('collection').values(collection).execute();
  await db.updateTable('media').set({ collection_id: collection.id }).where('id', '=', film.mediaId).execute();
  const store = createShareStore({ db, secretBox });
  const wanted = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test' };
  const { token } = await store.create({ libraryId: film.libraryId, collectionId: collection.id }, wanted);
  const list = async () => (await (await fetch(`${fixture.edge.base}/share/${token}/list`)).json()).videos;
  const player = `${fixture.edge.base}/share/${token}/player?video=${film.mediaId}`;
  await expect.poll(list, PATIENCE).toMatchObject([{ id: film.mediaId }]);
  expect(await statusOf(player)).toBe(303);
  for (const visibility of ['unlisted', 'private'] as const) {
    await setVisibility(film, visibility);
    await expect.poll(list, PATIENCE).toEqual([]);
    await expect.poll(() => statusOf(player), PATIENCE).toBe(404);
    expect(await (await fetch(`${fixture.edge.base}/share/${token}`)).text()).not.toContain(film.mediaId);
  }
});
