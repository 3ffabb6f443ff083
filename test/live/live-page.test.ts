import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startStream, stopStream } from '../../src/catalog/live/live-stream.ts';
import { shoot } from '../delivery/page-pictures.ts';
import { PERSON } from '../delivery/viewing-fixture.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { ACCOUNT_KEY, LIBRARY_KEY } from '../support/service.ts';
import { call, createVideo, FINISHED, untilVideo, uploadFile } from '../support/videos.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { createLive, ended, makeClip, NO_RUNGS, publish, startLive } from './live-service.ts';

/** Timeout that only a hang exceeds. Each poll costs the page CPU time. */
const PATIENCE = { timeout: 60_000, interval: 250 };
/** Reduced motion, because the animations of a waiting page would be drawn sixty times a second. */
const PAGE = { ...SMALL_PAGE, reducedMotion: 'reduce' } as const;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture();
});
afterAll(() => fixture.close());

const read = (page: Page) =>
  page.locator('video').evaluate((video: HTMLVideoElement) => ({
    sec: video.currentTime,
    behindSec: video.seekable.length === 0 ? 0 : video.seekable.end(video.seekable.length - 1) - video.currentTime,
    durationSec: video.duration,
  }));

/** Hovers over the bar. Returns the number of colours in the preview above it, which is decoded from a keyframe. */
async function lookAtBar(page: Page): Promise<number> {
  const box = await page.locator('bunny-media-time-range').boundingBox();
  if (box === null) return 0;
  await page.mouse.move(box.x + box.width * (0.2 + 0.1 * Math.random()), box.y + box.height / 2);
  const canvas = page.locator('bunny-media-time-range canvas');
  if (!(await canvas.isVisible())) return 0;
  return canvas.evaluate((element: HTMLCanvasElement) => {
    const { width, height } = element;
    const pixels = element.getContext('2d')?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
    const colours = Array.from({ length: pixels.length / 4 }, (_, index) =>
      pixels.slice(index * 4, index * 4 + 3).join(),
    );
    return new Set(colours).size;
  });
}

test('the player page waits for a stream, plays it close to the live edge, and then plays its video', async () => {
  const { key, ingest } = await createLive(fixture);
  const page = await fixture.browser.newPage({ ...PAGE, userAgent: PERSON });
  await page.goto(`${fixture.service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?muted=true`);
  await page.getByText('The live stream has not started yet').waitFor(PATIENCE);
  await fixture.catalogue.streams.change(key, startStream);
  const publisher = await publish(ingest, NO_RUNGS);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(2);
  await page.mouse.move(200, 200);
  await page.getByRole('button', { name: 'Watching live' }).waitFor(PATIENCE);
  const before = await read(page);
  expect(before.behindSec).toBeLessThan(8);
  // The page is offline for longer than its buffer lasts, so it stalls. Afterwards it returns to its previous latency.
  await page.context().setOffline(true);
  await page.waitForTimeout(6_000);
  await page.context().setOffline(false);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(before.sec + 8);
  await expect.poll(async () => (await read(page)).behindSec, PATIENCE).toBeLessThan(before.behindSec + 1.5);
  // A small frame hides the viewer count for lack of space.
  await expect.poll(() => page.locator('.viewers').textContent(), PATIENCE).toBe('1 watching');
  // After a short pause, the page also returns close to the live edge.
  const video = page.locator('video');
  await video.evaluate((element: HTMLVideoElement) => element.pause());
  const paused = await read(page);
  await expect.poll(async () => (await read(page)).behindSec, PATIENCE).toBeGreaterThan(before.behindSec + 5);
  await video.evaluate((element: HTMLVideoElement) => void element.play());
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(paused.sec + 1);
  await expect.poll(async () => (await read(page)).behindSec, PATIENCE).toBeLessThan(before.behindSec + 1.5);
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await expect.poll(async () => Number.isFinite((await read(page)).durationSec), PATIENCE).toBe(true);
  await expect.poll(() => page.locator('.live-button').isVisible(), PATIENCE).toBe(false);
  await page.close();
});

test('a trailer loops under the countdown until the stream begins and replaces it', async () => {
  const trailer = await createVideo(fixture.service, 'Trailer');
  const clip = await makeClip();
  expect((await uploadFile(fixture.service, trailer, clip)).status).toBe(200);
  await untilVideo(fixture.service, trailer, ({ status }) => status === FINISHED);
  const plan = { scheduledStartAt: new Date(Date.now() + 7_200_000), trailerVideoId: trailer };
  const { key, ingest } = await createLive(fixture, plan);
  const page = await fixture.browser.newPage(PAGE);
  await page.goto(`${fixture.service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?muted=true&autoplay=true`);
  await page.getByText(/^01:5\d:/).waitFor(PATIENCE);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(0.5);
  expect(await read(page)).toMatchObject({ durationSec: expect.closeTo(12, 0) });
  expect(await page.locator('video').evaluate((video: HTMLVideoElement) => video.loop)).toBe(true);
  await shoot(page, 'trailer', ['1280', '320']);
  await fixture.catalogue.streams.change(key, startStream);
  const publisher = await publish(ingest, NO_RUNGS);
  await expect.poll(async () => Number.isFinite((await read(page)).durationSec), PATIENCE).toBe(false);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(1);
  expect(await page.locator('video').evaluate((video: HTMLVideoElement) => video.loop)).toBe(false);
  await shoot(page, 'on-air', ['1280', '320']);
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await expect.poll(async () => Number.isFinite((await read(page)).durationSec), PATIENCE).toBe(true);
  await shoot(page, 'recording', ['1280', '320']);
  await page.close();
});

test('the seek bar of a stream with a DVR window shows keyframe previews', async () => {
  const window = { dvrEnabled: true, dvrWindowSec: 600 };
  const { key, ingest } = await startLive(fixture, window);
  const publisher = await publish(ingest, NO_RUNGS);
  const page = await fixture.browser.newPage(PAGE);
  await page.goto(`${fixture.service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?muted=true`);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(2);
  await expect.poll(() => lookAtBar(page), PATIENCE).toBeGreaterThan(20);
  await shoot(page, 'window', ['1280', '320']);
  await fixture.catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await page.close();
});

test('the player page of a stream that is not public needs an embed token', async () => {
  const { service } = fixture;
  const statusOf = async (isPublic: boolean, sign: boolean) => {
    const { key } = await createLive(fixture, { isPublic });
    const expires = Math.floor(Date.now() / 1000) + 3_600;
    const token = createHash('sha256').update(`${LIBRARY_KEY}${key.mediaId}${expires}`).digest('hex');
    const query = sign ? `?token=${token}&expires=${expires}` : '';
    const address = `${service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}`;
    return [(await fetch(address + query)).status, (await fetch(`${address}/state${query}`)).status];
  };
  expect(await statusOf(true, false)).toEqual([200, 200]);
  expect(await statusOf(false, true)).toEqual([200, 200]);
  expect(await statusOf(false, false)).toEqual([403, 403]);
});

test('media of a stream that is not public need a signed URL, and its recording is private', async () => {
  const { service, browser, catalogue } = fixture;
  const { key, ingest, base } = await startLive(fixture, { isPublic: false });
  const publisher = await publish(ingest, NO_RUNGS);
  const path = `/library/${key.libraryId}/live/${key.mediaId}`;
  const { playbackUrlHls } = Object(await call(service, 'GET', path));
  const statusOf = async (url: string) => (await fetch(url)).status;
  await expect.poll(() => statusOf(playbackUrlHls), PATIENCE).toBe(200);
  for (const file of ['playlist.m3u8', 'live.m3u8', 'manifest.mpd', 'thumbnail.jpg']) {
    expect([file, await statusOf(`${base}/${file}`)]).toEqual([file, 403]);
  }
  const text = await (await fetch(playbackUrlHls)).text();
  const rendition = text.split('\n').find((line) => line.endsWith('video.m3u8')) ?? '';
  expect(await statusOf(new URL(rendition, playbackUrlHls).href)).toBe(200);
  expect(await statusOf(`${base}/${rendition}`)).toBe(403);
  const page = await browser.newPage(PAGE);
  const expires = Math.floor(Date.now() / 1000) + 3_600;
  const token = createHash('sha256').update(`${LIBRARY_KEY}${key.mediaId}${expires}`).digest('hex');
  const address = `${service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}`;
  await page.goto(`${address}?token=${token}&expires=${expires}&muted=true&autoplay=true`);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(1);
  await catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await expect.poll(async () => Number.isFinite((await read(page)).durationSec), PATIENCE).toBe(true);
  const video = `/library/${key.libraryId}/videos/${key.mediaId}`;
  const recording = () => call(service, 'GET', video).catch(() => null);
  await expect.poll(recording, PATIENCE).toMatchObject({ isPublic: false, visibility: 'private' });
  expect(await statusOf(`${base}/playlist.m3u8`)).toBe(403);
  expect(await statusOf(address)).toBe(403);
  const { url } = Object(await call(service, 'POST', `${video}/shares`, {}));
  await page.goto(`${url}/player?muted=true`);
  await expect
    .poll(() => page.locator('video').evaluate((video: HTMLVideoElement) => video.readyState), PATIENCE)
    .toBeGreaterThan(0);
  await page.close();
});

// This test is the last in this file, because its library requires tokens from then on.
test('a viewer with an embed token sees the preview before the start and then the stream', async () => {
  const { service, browser, catalogue } = fixture;
  const settings = { method: 'POST', headers: { AccessKey: ACCOUNT_KEY, 'Content-Type': 'application/json' } };
  const changed = JSON.stringify({ PlayerTokenAuthenticationEnabled: true });
  expect((await fetch(`${service.apiUrl}/videolibrary/1`, { ...settings, body: changed })).ok).toBe(true);
  const { key, ingest } = await createLive(fixture);
  const publisher = await publish(ingest, NO_RUNGS);
  const expires = Math.floor(Date.now() / 1000) + 3_600;
  const token = createHash('sha256').update(`${LIBRARY_KEY}${key.mediaId}${expires}`).digest('hex');
  const address = `${service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}`;
  await expect.poll(async () => (await fetch(address)).status, PATIENCE).toBe(403);
  const page = await browser.newPage(PAGE);
  await page.goto(`${address}?token=${token}&expires=${expires}&muted=true&autoplay=true`);
  await page.getByText('Preview', { exact: true }).waitFor(PATIENCE);
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(2);
  await shoot(page, 'preview', ['1280', '320']);
  await catalogue.streams.change(key, startStream);
  await expect.poll(() => page.getByText('Preview', { exact: true }).isVisible(), PATIENCE).toBe(false);
  // Playback continues without interaction, from the start of the stream.
  const started = (await read(page)).sec;
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(started + 2);
  await catalogue.streams.change(key, stopStream);
  await ended(publisher);
  await expect.poll(async () => Number.isFinite((await read(page)).durationSec), PATIENCE).toBe(true);
  await page.close();
});
