import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newGuid } from '../../src/lib/guid.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, finishVideo, type PublishedFilm, publishChunk, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

let database: TestDatabase;
let fixture: EdgeFixture;
let edge: TestEdge;
let film: Film;
let browser: Browser;
let libraryId: number;
let shown: PublishedFilm;
const pages: { page: Page; faults: string[] }[] = [];
/** Timeout that only a hang exceeds. A browser that just started is slow on a busy machine. */
const PATIENCE = { timeout: 60_000 };

beforeAll(async () => {
  [database, film, browser] = await Promise.all([startTestDatabase(), makeFilm(480, [180, 90]), openBrowser()]);
  fixture = await createEdgeFixture(database);
  edge = await fixture.start();
  libraryId = await addLibrary(database.db, { player: { keyColor: '#12ab34' } });
  shown = await addFilm(database.db, libraryId, film, 'A <b>film</b> & "more"');
  await publishWholeFilm(database.db, fixture.storage, film, shown);
});
afterEach(async () => {
  for (const { page } of pages.splice(0)) await page.close();
});
afterAll(async () => {
  await browser.close();
  await edge.close();
  await fixture.close();
  await database.stop();
});

/** Opens a player page. Its console errors and every request to another origin are faults. */
async function openPlayer({ mediaId }: PublishedFilm, query = ''): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.newPage(SMALL_PAGE);
  const opened = { page, faults: [] as string[] };
  pages.push(opened);
  page.on('pageerror', (error) => opened.faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') opened.faults.push(message.text());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) opened.faults.push(`${response.status()} ${response.url()}`);
  });
  page.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== edge.base)
      opened.faults.push(request.url());
  });
  await page.goto(`${edge.base}/embed/${libraryId}/${mediaId}${query}`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  return opened;
}

const read = (page: Page) =>
  page.locator('video').evaluate((video: HTMLVideoElement) => ({
    sec: video.currentTime,
    isPaused: video.paused,
    heightPx: video.videoHeight,
    isMuted: video.muted,
    isLooped: video.loop,
    isEnded: video.ended,
    durationSec: video.duration,
    frames: video.getVideoPlaybackQuality().totalVideoFrames,
  }));

test('a finished video plays to the end automatically, without faults or requests to other origins', async () => {
  const { page, faults } = await openPlayer(shown);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(1);
  expect((await read(page)).durationSec).toBeCloseTo((480 * 1001) / 24_000, 1);
  // Frames may lag behind the clock.
  await expect.poll(async () => (await read(page)).frames, PATIENCE).toBeGreaterThan(10);
  expect(await page.title()).toBe('A <b>film</b> & "more"');
  await page.keyboard.press('9');
  await expect.poll(async () => (await read(page)).isEnded, PATIENCE).toBe(true);
  expect(faults).toEqual([]);
});

test('the page does not repaint while the video plays and its controls are hidden', async () => {
  const { page } = await openPlayer(shown, '?muted=true');
  await page.locator('media-controller[userinactive]').waitFor(PATIENCE);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const layouts = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'LayoutCount')?.value ?? Number.NaN;
  };
  const [before, { sec }] = [await layouts(), await read(page)];
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(sec + 3);
  const perSec = ((await layouts()) - before) / ((await read(page)).sec - sec);
  // Expects a layout for each of the video's reports, four a second, and not for each of 60 frames.
  expect(perSec).toBeLessThan(15);
});

test('the query sets the start position, mute, loop and autoplay', async () => {
  const { page, faults } = await openPlayer(shown, '?t=8s&autoplay=false&muted=true&loop=true&preload=false');
  await expect.poll(async () => (await read(page)).isMuted, PATIENCE).toBe(true);
  expect(await read(page)).toMatchObject({ isPaused: true, isLooped: true, frames: 0 });
  await page.locator('.large-play').click();
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(8.2);
  expect((await read(page)).sec).toBeLessThan(16);
  expect(faults).toEqual([]);
});

test('with preload=false the page loads no playlist before it plays', async () => {
  const { mediaId } = shown;
  const page = await browser.newPage(SMALL_PAGE);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${edge.base}/embed/${libraryId}/${mediaId}?muted=true&autoplay=false&preload=false`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  expect(requests.filter((url) => /\.(m3u8|m4s|mp4)/.test(url))).toEqual([]);
  await page.keyboard.press('k');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.2);
  await page.close();
});

test('with preload=false, a request to play before the scripts arrive starts playback when they do', async () => {
  const page = await browser.newPage(SMALL_PAGE);
  const asked = Promise.withResolvers<void>();
  await page.route('**/*.js', async (route) => {
    await asked.promise;
    await route.continue();
  });
  await page.goto(`${edge.base}/embed/${libraryId}/${shown.mediaId}?autoplay=false&preload=false`, {
    waitUntil: 'commit',
  });
  const video = page.locator('video');
  expect(await video.evaluate((film: HTMLVideoElement) => film.hasAttribute('src'))).toBe(false);
  await video.evaluate((film: HTMLVideoElement) => {
    film.muted = true;
    film.play().catch(() => undefined);
  });
  asked.resolve();
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.2);
  await page.close();
});

test('seeking and choosing a quality show the selected frames', async () => {
  const { page, faults } = await openPlayer(shown, '?muted=true');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.2);
  for (const heightPx of [90, 180]) {
    await page.mouse.move(200, 200);
    await page.locator('bunny-settings-menu-button').click();
    await page.getByRole('menuitem', { name: 'Quality' }).click();
    await page.getByRole('menuitemradio', { name: new RegExp(`^${heightPx}p`) }).click();
    await page.keyboard.press('5');
    await expect.poll(async () => (await read(page)).heightPx, PATIENCE).toBe(heightPx);
  }
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeLessThan(8);
  const bar = page.getByRole('slider', { name: 'Seek' });
  const { width = 0, height = 0 } = (await bar.boundingBox()) ?? {};
  await bar.click({ position: { x: width * 0.77, y: height / 2 } });
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(15.1);
  await page.keyboard.press('k');
  expect((await read(page)).isPaused).toBe(true);
  expect(await bar.getAttribute('aria-valuetext')).toMatch(/^1[5-9] s of 20 s$/);
  await page.keyboard.press('m');
  expect((await read(page)).isMuted).toBe(false);
  expect(faults).toEqual([]);
});

test('a menu selection takes effect even if the list changes between press and release', async () => {
  const { page, faults } = await openPlayer(shown, '?muted=true');
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.2);
  await page.mouse.move(200, 200);
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Speed' }).click();
  const box = await page.getByRole('menuitemradio', { name: '2×' }).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 5);
  await page.mouse.down();
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    video.playbackRate = 1.5;
    return new Promise((resolve) => video.addEventListener('ratechange', resolve, { once: true }));
  });
  await page.mouse.up();
  expect(await page.locator('video').evaluate((video: HTMLVideoElement) => video.playbackRate)).toBe(2);
  expect(await page.locator('bunny-settings-menu').isVisible()).toBe(false);
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Speed 2×' }).waitFor(PATIENCE);
  expect(faults).toEqual([]);
});

test('while its video is encoded, a page reports that, starts automatically, and adopts new rungs', async () => {
  const made = await addFilm(database.db, libraryId, film);
  const [tall, low] = made.videos;
  const [tallTrack, lowTrack] = film.videos;
  if (!tall || !low || !tallTrack || !lowTrack) throw new Error('Expected a film of two rungs.');
  const publish = async (key: typeof tall, chunks: typeof tallTrack.chunks) => {
    for (const chunk of chunks) await publishChunk(database.db, fixture.storage, key, chunk);
  };
  await database.db.updateTable('media').set({ encode_progress: 12 }).where('id', '=', made.mediaId).execute();
  const { page, faults } = await openPlayer(made);
  await expect.poll(() => page.locator('.notice').textContent(), PATIENCE).toContain('12%');
  await publish(low, lowTrack.chunks.slice(0, 1));
  await publish(made.audio, film.audio.chunks);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
  expect((await read(page)).heightPx).toBe(90);
  expect(await page.locator('.notice').isVisible()).toBe(false);
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    video.addEventListener('emptied', () => Object.assign(window, { isEmptied: true }));
  });
  await publish(low, lowTrack.chunks.slice(1));
  await publish(tall, tallTrack.chunks);
  await expect.poll(async () => (await read(page)).heightPx, PATIENCE).toBe(180);
  expect((await read(page)).sec).toBeGreaterThan(0.5);
  // The loaded media is kept.
  expect(await page.evaluate(() => Reflect.get(window, 'isEmptied') ?? false)).toBe(false);
  await finishVideo(database.db, made);
  await page.keyboard.press('9');
  await expect.poll(async () => (await read(page)).isEnded, PATIENCE).toBe(true);
  expect(faults).toEqual([]);
});

test('a page that is opened shortly before the video finishes adopts its rungs immediately', async () => {
  const made = await addFilm(database.db, libraryId, film);
  const [tall, low] = made.videos;
  const [tallTrack, lowTrack] = film.videos;
  if (!tall || !low || !tallTrack || !lowTrack) throw new Error('Expected a film of two rungs.');
  for (const chunk of lowTrack.chunks) await publishChunk(database.db, fixture.storage, low, chunk);
  for (const chunk of film.audio.chunks) await publishChunk(database.db, fixture.storage, made.audio, chunk);
  const { page } = await openPlayer(made);
  for (const chunk of tallTrack.chunks) await publishChunk(database.db, fixture.storage, tall, chunk);
  await finishVideo(database.db, made);
  await expect.poll(async () => (await read(page)).heightPx, PATIENCE).toBe(180);
});

test('shows why a video failed', async () => {
  const made = await addFilm(database.db, libraryId, film);
  const failed = { state: 'failed', state_reason: 'The file is <i>empty</i>.' } as const;
  await database.db.updateTable('media').set(failed).where('id', '=', made.mediaId).execute();
  const { page } = await openPlayer(made);
  await expect.poll(() => page.locator('.notice').textContent(), PATIENCE).toContain('The file is <i>empty</i>.');
});

test('playback continues after an outage of the edge', async () => {
  const { page } = await openPlayer(shown, '?muted=true&autoplay=false&preload=false');
  const pattern = /\/r\/.*(m4s|m3u8)$/;
  await page.route(pattern, (route) => route.abort());
  await page.locator('.large-play').click();
  await expect.poll(() => page.locator('.player').getAttribute('troubled'), PATIENCE).toBe('');
  await page.unroute(pattern);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
});

test.each([
  { what: 'once are requested again', times: 1, selector: 'media-controller[ready]' },
  { what: 'at all are replaced by the browser controls', times: 100, selector: 'video[controls]' },
])('player controls that cannot be loaded $what', async ({ times, selector }) => {
  const { mediaId } = shown;
  const page = await browser.newPage(SMALL_PAGE);
  await page.route('**/assets/controls-*', (route) => route.abort(), { times });
  await page.goto(`${edge.base}/embed/${libraryId}/${mediaId}?muted=true`);
  await page.locator(selector).waitFor(PATIENCE);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.2);
  await page.close();
});

test('the page has meta tags, a strict policy and no URLs of other origins, and a wrong URL gets a 404', async () => {
  const tags = JSON.stringify([{ property: 'og:site_name', value: 'A "site"' }]);
  await database.db.updateTable('media').set({ meta_tags: tags }).where('id', '=', shown.mediaId).execute();
  const response = await fetch(`${edge.base}/play/${libraryId}/${shown.mediaId}`);
  const html = await response.text();
  const policy = response.headers.get('content-security-policy') ?? '';
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  expect(html.match(/<(script|style)\b[^>]*>/g)?.every((tag) => tag.includes(`nonce="${nonce}"`))).toBe(true);
  expect(html).toContain('<meta property="og:site_name" content="A &quot;site&quot;">');
  expect(html).toContain('--player-accent:#12ab34');
  expect(html.match(/https?:\/\//g)).toBeNull();
  for (const address of html.matchAll(/\/assets\/[^"]+/g)) {
    const asset = await fetch(`${edge.base}${address[0]}`);
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
  for (const path of [`${libraryId}/${newGuid()}`, `${libraryId + 1000}/${shown.mediaId}`]) {
    const missing = await fetch(`${edge.base}/embed/${path}`);
    expect([missing.status, missing.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect((await fetch(`${edge.base}/embed/${path}/state`)).status).toBe(404);
  }
});
