import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStream } from '../../src/catalog/live/live-stream.ts';
import { shoot } from '../delivery/page-pictures.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { type LiveFixture, openLiveFixture } from './live-fixture.ts';
import { NO_RUNGS, publish, startLive, type TestStream } from './live-service.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000, interval: 250 };
const PAGE = { ...SMALL_PAGE, reducedMotion: 'reduce' } as const;

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await openLiveFixture({ MILLRACE_LIVE_CORES: '0' });
});
afterAll(() => fixture.close());

async function open({ key }: TestStream, query: string): Promise<Page> {
  const page = await fixture.browser.newPage(PAGE);
  await page.goto(`${fixture.service.edgeUrl}/embed/${key.libraryId}/${key.mediaId}?muted=true${query}`);
  return page;
}

const read = (page: Page) =>
  page.locator('video').evaluate((video: HTMLVideoElement) => ({
    sec: video.currentTime,
    lengthSec: video.duration,
    isEnded: video.ended,
    isPaused: video.paused,
    view: video.closest('media-controller')?.getAttribute('data-view'),
  }));

async function untilPlaying(page: Page, sec: number): Promise<void> {
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(sec);
}

const button = (page: Page) => page.getByRole('button', { name: 'Watch the recording' });

test('a stream is shown to its last frame, and its recording plays when the viewer chooses it', async () => {
  const stream = await startLive(fixture, { dvrEnabled: true, dvrWindowSec: 600 });
  await publish(stream.ingest, NO_RUNGS);
  const pages = { edge: await open(stream, '&autoplay=true'), loop: await open(stream, '&autoplay=true&loop=true') };
  const behind = await open(stream, '&autoplay=true');
  await untilPlaying(behind, 12);
  await behind.locator('video').evaluate((video: HTMLVideoElement) => {
    video.currentTime -= 8;
  });
  await fixture.catalogue.streams.change(stream.key, stopStream);
  for (const page of [pages.edge, pages.loop, behind]) {
    await button(page).waitFor(PATIENCE);
    const { sec, lengthSec, isEnded, view } = await read(page);
    expect({ isEnded, view, leftSec: lengthSec - sec }).toMatchObject({ isEnded: true, view: 'over', leftSec: 0 });
    expect(await page.getByText('The live stream has ended').isVisible()).toBe(true);
  }
  await shoot(pages.edge, 'stream-over', ['1280', '320', 'phone']);
  expect(await axeViolations(pages.edge)).toEqual([]);
  await button(pages.edge).click();
  await untilPlaying(pages.edge, 0.5);
  const replayed = await read(pages.edge);
  expect(replayed).toMatchObject({
    isPaused: false,
    isEnded: false,
    view: expect.stringMatching(/finished|processing/),
  });
  expect(replayed.sec).toBeLessThan(8);
  expect(await button(pages.edge).isVisible()).toBe(false);
  // A key plays the recording too.
  await pages.loop.locator('video').evaluate((video: HTMLVideoElement) => void video.play());
  await expect.poll(async () => (await read(pages.loop)).view, PATIENCE).toMatch(/finished|processing/);
  await untilPlaying(pages.loop, 0.5);
  for (const page of [pages.edge, pages.loop, behind]) await page.close();
}, 120_000);

test('a stream without a recording ends with thanks', async () => {
  const stream = await startLive(fixture, { recordVod: false });
  await publish(stream.ingest, NO_RUNGS);
  const page = await open(stream, '&autoplay=true');
  await untilPlaying(page, 2);
  await fixture.catalogue.streams.change(stream.key, stopStream);
  await page.getByText('Thanks for watching.').waitFor(PATIENCE);
  expect(await button(page).isVisible()).toBe(false);
  expect(await read(page)).toMatchObject({ isPaused: true, view: 'over' });
  await page.close();
}, 90_000);

test('the recording of a stream that nobody played on a page waits for its play button', async () => {
  const stream = await startLive(fixture);
  await publish(stream.ingest, NO_RUNGS);
  const page = await open(stream, '&autoplay=false');
  await expect.poll(async () => (await read(page)).view, PATIENCE).toBe('live');
  const watching = await open(stream, '&autoplay=true');
  await untilPlaying(watching, 3);
  await fixture.catalogue.streams.change(stream.key, stopStream);
  await expect.poll(async () => (await read(page)).view, PATIENCE).toBe('finished');
  expect(await read(page)).toMatchObject({ sec: 0, isPaused: true });
  expect(await button(page).isVisible()).toBe(false);
  await page.close();
}, 90_000);
