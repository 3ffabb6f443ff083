import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createCollectionStore } from '../../src/catalog/collections/collection-store.ts';
import { createVideoOrderStore } from '../../src/catalog/collections/video-order-store.ts';
import { createShareStore, type ShareFields, type ShareKey } from '../../src/catalog/shares/share-store.ts';
import { createTrashStore } from '../../src/catalog/videos/trash-store.ts';
import type { Guid } from '../../src/lib/guid.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { TEST_SECRET } from '../support/packager.ts';
import { openPlayerRoom, type PlayerRoom } from './player-room.ts';
import { addFilm, addLibrary, addVideo, publishWholeFilm } from './publish.ts';
import type { TestEdge } from './start-test-edge.ts';

const NAME = 'A <b>course</b> & "more"';
const PASSWORD = 'summer party';
const LOCKED = { access: { playerTokenRequired: true } };
const PATIENCE = { timeout: 60_000 };
/** Folder for screenshots for human review. If it is unset, no screenshots are taken. */
const PICTURES = process.env.MILLRACE_TEST_PICTURES;

let room: PlayerRoom;
let edge: TestEdge;
let shown: Course;
const shares = () => createShareStore({ db: room.database.db, secretBox: createSecretBox(TEST_SECRET) });

type Course = { libraryId: number; collectionId: Guid; ids: Guid[] };

beforeAll(async () => {
  room = await openPlayerRoom(72, [90]);
  edge = await room.edges.start({ apiUrl: 'https://api.test' });
  shown = await makeCourse({ ...LOCKED, mp4: { enabled: true }, player: { keyColor: '#0f7b6c' } });
});
afterAll(async () => {
  await edge.close();
  await room.close();
});

/** Publishes three videos in a collection, the oldest first. */
async function makeCourse(settings: Record<string, unknown> = {}, titles = ['One', '<i>Two</i>', 'Three']) {
  const { db } = room.database;
  const libraryId = await addLibrary(db, settings);
  const { collectionId } = await createCollectionStore(db).create(libraryId, NAME);
  const ids: Guid[] = [];
  for (const [at, title] of titles.entries()) {
    const film = await addFilm(db, libraryId, room.film, title);
    await publishWholeFilm(db, room.edges.storage, room.film, film);
    const created_at = new Date(Date.UTC(2026, 0, 1 + at));
    const thumbnail = { thumbnail_key: await room.edges.storage.write(`${film.mediaId}/t`, PIXEL) };
    await db
      .updateTable('media')
      .set({ collection_id: collectionId, created_at, ...thumbnail, duration_ms: 3_003 })
      .where('id', '=', film.mediaId)
      .execute();
    ids.push(film.mediaId);
  }
  return { libraryId, collectionId, ids };
}

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

type Made = { key: ShareKey; url: string };

async function share(fields: Partial<ShareFields> = {}, { libraryId, collectionId } = shown): Promise<Made> {
  const wanted = { password: null, allowsDownload: false, expiresAt: null, createdBy: 'test', ...fields };
  const { id, token } = await shares().create({ libraryId, collectionId }, wanted);
  return { key: { libraryId, collectionId, shareId: id }, url: `${edge.base}/share/${token}` };
}

const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
const statusOf = async (url: string, init: RequestInit = {}) => (await open(url, init)).status;
const titlesOf = async (url: string) =>
  Object(await (await open(`${url}/list`)).json()).videos.map(({ title }: { title: string }) => title);
const playerOf = async (url: string, id = '') =>
  edge.base + ((await open(`${url}/player${id && `?video=${id}`}`)).headers.get('location') ?? '');
const setVideo = (id: Guid | undefined, values: object) =>
  room.database.db
    .updateTable('media')
    .set(values)
    .where('id', '=', id ?? shown.collectionId)
    .execute();

async function withPage(work: (page: Page, faults: string[]) => Promise<void>): Promise<void> {
  const page = await room.browser.newPage({ viewport: { width: 1440, height: 900 } });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (line) => {
    if (line.type() === 'error') faults.push(line.text());
  });
  try {
    await work(page, faults);
  } finally {
    await page.close();
  }
}

/** Examines a page in light and dark, wide and narrow, with axe, and keeps pictures if review is enabled. */
async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 900 });
      const violations = await axeViolations(page, { exclude: ['iframe'] });
      expect(violations, `${name} ${colorScheme} ${width}`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      if (PICTURES === undefined) continue;
      await page.screenshot({ path: path.join(PICTURES, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
}

const shownVideo = (page: Page) => page.locator('#videos a[aria-current]').textContent();

test('plays the videos of a collection one after the other, by countdown, button, key and list', async () => {
  const { url } = await share({ allowsDownload: true });
  await withPage(async (page, faults) => {
    await page.goto(url);
    const player = page.frameLocator('#player');
    const video = player.locator('video');
    await player.locator('media-controller[ready]').waitFor(PATIENCE);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(NAME);
    expect(await page.locator('#videos .name').allTextContents()).toEqual(['One', '<i>Two</i>', 'Three']);
    expect(await page.locator('#videos .length').allTextContents()).toEqual(['0:03', '0:03', '0:03']);
    await look(page, 'collection');
    await page.setViewportSize({ width: 1440, height: 900 });
    // The end of the first video, with a countdown that the viewer cancels.
    await video.evaluate((element: HTMLVideoElement) => {
      element.muted = true;
      element.currentTime = 2.5;
      return element.play();
    });
    await player.getByText('Next: <i>Two</i>').waitFor(PATIENCE);
    await player.getByText(/^Starts in \d+ s$/).waitFor(PATIENCE);
    expect(faults).toEqual([]);
    expect(await axeViolations(page.mainFrame().childFrames()[0] as never)).toEqual([]);
    // The policy of the player page refuses the styles that axe sets.
    faults.length = 0;
    if (PICTURES !== undefined) await page.screenshot({ path: path.join(PICTURES, 'collection-next.png') });
    await player.getByRole('button', { name: 'Cancel' }).click();
    expect(await player.getByText(/^Starts in/).count()).toBe(0);
    await player.getByRole('button', { name: 'Play now' }).click();
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    expect(await page.locator('#shown').textContent()).toBe('<i>Two</i>');
    expect(await page.locator('#download').getAttribute('href')).toContain(`/download?video=${shown.ids[1]}`);
    const playing = () => video.evaluate((element: HTMLVideoElement) => !element.paused && element.muted);
    await expect.poll(playing, PATIENCE).toBe(true);
    // The second video ends, and the third one starts by itself.
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('Three');
    await player.getByRole('button', { name: 'Previous video' }).waitFor(PATIENCE);
    expect(await player.getByRole('button', { name: 'Next video' }).count()).toBe(0);
    await player.locator('media-controller').press('Shift+P');
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    await page.getByRole('link', { name: 'One' }).click();
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('One');
    await page.keyboard.press('Shift+N');
    await expect.poll(() => shownVideo(page), PATIENCE).toContain('<i>Two</i>');
    expect(page.url()).toBe(`${url}?video=${shown.ids[1]}`);
    expect(faults).toEqual([]);
  });
});

test('the player of a collection goes to the next video in a frame of another site', async () => {
  const { url } = await share();
  await withPage(async (page) => {
    const frame = `<iframe src="${url}/player" allow="autoplay" width="800" height="450"></iframe>`;
    const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(frame));
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void site.close());
    // Another host name of this machine, and thus another site.
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
    const player = page.frameLocator('iframe');
    await player.getByRole('button', { name: 'Next video' }).click(PATIENCE);
    const title = () => player.locator('h1').textContent();
    await expect.poll(title, PATIENCE).toBe('<i>Two</i>');
    await player.getByRole('button', { name: 'Previous video' }).click(PATIENCE);
    await expect.poll(title, PATIENCE).toBe('One');
  });
});

test('the order is by creation, by title, or as arranged, with the rest at the end', async () => {
  const course = await makeCourse({}, ['b', 'c', 'a']);
  const { url } = await share({}, course);
  const orders = createVideoOrderStore(room.database.db);
  expect(await titlesOf(url)).toEqual(['b', 'c', 'a']);
  for (const [change, titles] of [
    [{ order: 'newest' }, ['a', 'c', 'b']],
    [{ order: 'title' }, ['a', 'b', 'c']],
    [{ order: 'manual', mediaIds: [course.ids[2], course.ids[0]] }, ['a', 'b', 'c']],
    [{ order: 'manual', mediaIds: [course.ids[1]] }, ['c', 'b', 'a']],
  ] as const) {
    await orders.change(course, change as Parameters<typeof orders.change>[1]);
    await expect.poll(() => titlesOf(url), PATIENCE).toEqual(titles);
  }
});

test('lists only videos that can be played, and shows an empty collection', async () => {
  const course = await makeCourse(LOCKED, ['Only']);
  const { url } = await share({}, course);
  const waiting = await addVideo(room.database.db, course.libraryId, 'Not ready');
  await setVideo(waiting.mediaId, { collection_id: course.collectionId });
  expect(await titlesOf(url)).toEqual(['Only']);
  expect(await statusOf(`${url}/player?video=${waiting.mediaId}`)).toBe(503);
  await setVideo(course.ids[0], { collection_id: null });
  await expect.poll(() => titlesOf(url), PATIENCE).toEqual([]);
  expect(await (await open(url)).text()).toContain('There are no videos here yet.');
  expect(await statusOf(`${url}/player`)).toBe(404);
});

test('only videos of the collection can be opened through its share', async () => {
  const other = await makeCourse(LOCKED, ['Other']);
  const { url } = await share({ allowsDownload: true });
  const foreign = await room.publish(LOCKED);
  for (const id of [other.ids[0], foreign.mediaId, shown.collectionId, 'x', "'", `${shown.ids[0]}x`]) {
    for (const part of ['player', 'download']) {
      expect(await statusOf(`${url}/${part}?video=${id}`), `${part} ${id}`).toBe(404);
    }
    // The page shows its first video instead.
    const text = await (await open(`${url}?video=${id}`)).text();
    expect(text).toContain(`src="${new URL(url).pathname}/player?video=${shown.ids[0]}"`);
  }
  expect(await statusOf(`${url}/player?video=${shown.ids[1]}`)).toBe(303);
});

test('a player token ends within seconds when the video leaves the collection', async () => {
  const course = await makeCourse(LOCKED);
  const { url } = await share({}, course);
  const [first, second] = [await playerOf(url, course.ids[0]), await playerOf(url, course.ids[1])];
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
  // The token is of one video.
  expect(await statusOf(first.replace(course.ids[0] ?? '', course.ids[1] ?? ''))).toBe(403);
  await setVideo(course.ids[0], { collection_id: null });
  await expect.poll(() => statusOf(first), PATIENCE).toBe(403);
  expect(await statusOf(second)).toBe(200);
  expect(await statusOf(`${url}/player?video=${course.ids[0]}`)).toBe(404);
  await createTrashStore(room.database.db).put({ libraryId: course.libraryId, mediaId: course.ids[1] as Guid });
  await expect.poll(() => statusOf(second), PATIENCE).toBe(404);
});

test.each(['delete', 'expire', 'delete collection'] as const)('player tokens end with the share: %s', async (how) => {
  const course = await makeCourse(LOCKED);
  const { url, key } = await share({}, course);
  const player = await playerOf(url);
  expect(await statusOf(player)).toBe(200);
  if (how === 'delete') await shares().remove(key);
  else if (how === 'expire') await shares().update(key, { expiresAt: new Date(Date.now() - 1) });
  else await createCollectionStore(room.database.db).remove(course);
  await expect.poll(() => statusOf(player), PATIENCE).toBe(403);
  for (const part of ['', '/player', '/list', '/download']) {
    await expect.poll(() => statusOf(url + part), PATIENCE).toBe(how === 'expire' ? 410 : 404);
  }
});

test('has preview tags, an oEmbed link and strict headers, and is not listed', async () => {
  const { url } = await share();
  const answer = await open(url);
  const text = await answer.text();
  const title = 'A &lt;b&gt;course&lt;/b&gt; &amp; &quot;more&quot;';
  expect(text).toContain(`<meta property="og:title" content="${title}">`);
  expect(text).toContain(`<meta property="og:video" content="${url}/player">`);
  expect(text).toMatch(new RegExp(`<meta property="og:image" content="${edge.base}/[^"]+${shown.ids[0]}/`));
  expect(text).toContain(`href="https://api.test/OEmbed?url=${encodeURIComponent(url)}"`);
  expect(text).not.toContain('<i>Two');
  const { headers } = answer;
  expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
  expect(headers.get('referrer-policy')).toBe('strict-origin');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; script-src 'nonce-[^ ]+'; .*ancestors '/,
  );
  const list = await open(`${url}/list`);
  expect([list.headers.get('x-robots-tag'), list.headers.get('cache-control')]).toEqual([
    'noindex, nofollow',
    'no-store',
  ]);
});

test('shows nothing about the videos before the password', async () => {
  const { url } = await share({ password: PASSWORD, allowsDownload: true });
  for (const part of ['', '/player', '/list', '/download', `?video=${shown.ids[1]}`]) {
    const answer = await open(url + part);
    const text = await answer.text();
    expect(answer.status).toBe(403);
    for (const secret of ['course', 'One', 'og:', 'oembed', shown.ids[0] ?? '', shown.collectionId, 'vz-']) {
      expect(text, `${part} ${secret}`).not.toContain(secret);
    }
  }
  const sent = await open(url, { method: 'POST', body: new URLSearchParams({ password: PASSWORD }) });
  const cookie = sent.headers.get('set-cookie')?.split(';')[0] ?? '';
  for (const part of ['', '/list']) expect(await statusOf(url + part, { headers: { cookie } })).toBe(200);
  expect(await statusOf(`${url}/player`, { headers: { cookie } })).toBe(303);
  expect(await (await open(url, { headers: { cookie } })).text()).not.toContain('og:');
});

test('thumbnails and downloads are signed, and rules of referrer, address and country apply', async () => {
  const settings = { mp4: { enabled: true }, access: { allowedReferrers: ['good.test'], allowDirectPlay: false } };
  const course = await makeCourse(settings);
  const { db } = room.database;
  const zone = (values: object) =>
    db
      .updateTable('pull_zone')
      .set({ settings: JSON.stringify(values) })
      .where('library_id', '=', course.libraryId)
      .execute();
  await zone({ tokenRequired: true });
  const { url } = await share({ allowsDownload: true }, course);
  const page = await open(url, { headers: { referer: 'https://good.test/a' } });
  expect(page.status).toBe(200);
  expect(await statusOf(url, { headers: { referer: 'https://bad.test/' } })).toBe(403);
  expect(await statusOf(`${url}/list`, { headers: { referer: 'https://bad.test/' } })).toBe(403);
  const thumbnail = /<img src="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  expect(thumbnail).toContain('bcdn_token=');
  const { location } = Object.fromEntries((await open(`${url}/download?video=${course.ids[1]}`)).headers);
  expect(await statusOf(edge.base + location)).toBe(200);
  const abroad = await room.edges.start({ places: { locate: () => ({ country: 'FR', asn: '' }) } });
  await zone({ blockedCountries: ['FR'] });
  expect(await statusOf(url.replace(edge.base, abroad.base))).toBe(403);
  await abroad.close();
});

test('a collection of 600 videos lists 500, and plays the others by their ids', async () => {
  const course = await makeCourse(LOCKED, ['Newest']);
  const { db } = room.database;
  await db
    .insertInto('media')
    .columns(['library_id', 'id', 'type', 'title', 'state', 'collection_id', 'created_at', 'duration_ms', 'frame_rate'])
    .expression((eb) =>
      eb
        .selectFrom(eb.fn<{ n: number }>('generate_series', [eb.lit(1), eb.lit(599)]).as('n'))
        .select((row) => [
          row.val(course.libraryId).as('library_id'),
          row.fn<Guid>('gen_random_uuid', []).as('id'),
          row.val('video' as const).as('type'),
          row.val('Generated').as('title'),
          row.val('finished' as const).as('state'),
          row.val(course.collectionId).as('collection_id'),
          row.val(new Date(0)).as('created_at'),
          row.val(3_000).as('duration_ms'),
          row.val(25).as('frame_rate'),
        ]),
    )
    .execute();
  const { url } = await share({}, course);
  expect(await titlesOf(url)).toHaveLength(500);
  expect(await statusOf(`${url}/player?video=${course.ids[0]}`)).toBe(303);
});
