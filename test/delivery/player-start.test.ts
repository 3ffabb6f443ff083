import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import type { PublishedFilm } from './publish.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 120_000 };
/** Number of frames in 20 s. */
const FRAMES = 480;
const HEIGHTS_PX = [360, 270, 180, 90];
const RATES_BPS = [4_600_000, 2_600_000, 950_000, 450_000];
const LATENCY_MS = 40;
/** A buffer shorter than this counts as empty, in seconds. */
const EMPTY_SEC = 0.3;

let fixture: PlayerFixture;
let shown: PublishedFilm;

beforeAll(async () => {
  fixture = await openPlayerFixture(FRAMES, HEIGHTS_PX, RATES_BPS);
  shown = await fixture.publish();
});
afterAll(() => fixture.close());

type Line = {
  mbps: number;
  size?: { width: number; height: number };
  connection?: object;
  query?: string;
};
/** Bandwidth in Mbit/s that is too high to limit anything. */
const FAST = 10_000;

/** Opens the player with an empty cache on a connection of this bandwidth. */
async function open({ mbps, size = { width: 640, height: 360 }, connection, query = '' }: Line): Promise<Page> {
  const context = await fixture.browser.newContext({ viewport: size });
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  const bytesPerSec = (mbps * 1e6) / 8;
  const rates = { downloadThroughput: bytesPerSec, uploadThroughput: bytesPerSec };
  await wire.send('Network.emulateNetworkConditions', { offline: false, latency: LATENCY_MS, ...rates });
  await page.addInitScript(watchPicture, EMPTY_SEC);
  if (connection !== undefined) await page.addInitScript(pretendConnection, connection);
  const { libraryId, mediaId } = shown;
  await page.goto(`${fixture.edge.base}/embed/${libraryId}/${mediaId}?muted=true${query}`);
  return page;
}

/** Runs in the page. Records each height that is shown and each stall. */
function watchPicture(emptySec: number): void {
  const seen = { heightsPx: [] as number[], stalls: 0, hasPlayed: false };
  Object.assign(window, { seen });
  const find = setInterval(() => {
    const video = document.querySelector('video');
    if (video === null) return;
    clearInterval(find);
    const note = () => {
      if (video.videoHeight > 0 && seen.heightsPx.at(-1) !== video.videoHeight) seen.heightsPx.push(video.videoHeight);
    };
    for (const name of ['loadeddata', 'resize']) video.addEventListener(name, note);
    video.addEventListener('playing', () => {
      seen.hasPlayed = true;
    });
    video.addEventListener('waiting', () => {
      const { buffered, currentTime } = video;
      const isFilled = [...Array(buffered.length).keys()].some(
        (index) => buffered.start(index) <= currentTime && buffered.end(index) - currentTime > emptySec,
      );
      if (seen.hasPlayed && !isFilled) seen.stalls += 1;
    });
  }, 1);
}

function pretendConnection(connection: object): void {
  Object.defineProperty(navigator, 'connection', { value: connection });
}

const readSeen = (page: Page) =>
  page.evaluate(() => Reflect.get(window, 'seen') as { heightsPx: number[]; stalls: number });

const readSec = (page: Page) => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);

async function untilPlayed(page: Page, sec: number): Promise<void> {
  await expect.poll(() => readSec(page), PATIENCE).toBeGreaterThan(sec);
}

// Playback starts at most one rung below what the connection carries.
test.each([
  { mbps: 20, firstPx: 270, laterPx: 360 },
  { mbps: 8, firstPx: 180, laterPx: 270 },
  { mbps: 2, firstPx: 90, laterPx: 180 },
])('at $mbps Mbit/s playback starts with $firstPx or more, reaches $laterPx, and never stalls', async (line) => {
  const page = await open(line);
  await untilPlayed(page, 10);
  const { heightsPx, stalls } = await readSeen(page);
  expect(heightsPx[0]).toBeGreaterThanOrEqual(line.firstPx);
  expect(Math.max(...heightsPx)).toBeGreaterThanOrEqual(line.laterPx);
  // The resolution never decreases on a constant bandwidth.
  expect(heightsPx).toEqual(heightsPx.toSorted((a, b) => a - b));
  expect(stalls).toBe(0);
  await page.context().close();
});

test.each([
  { why: 'the viewer saves data', line: { mbps: 20, connection: { saveData: true } }, maxPx: 90 },
  { why: 'the line is metered', line: { mbps: 8, connection: { type: 'cellular' } }, maxPx: 180 },
  { why: 'the player is small', line: { mbps: 20, size: { width: 320, height: 180 } }, maxPx: 180 },
])('playback starts with at most $maxPx if $why', async ({ line, maxPx }) => {
  const page = await open(line);
  await untilPlayed(page, 0.1);
  expect((await readSeen(page)).heightsPx[0]).toBeLessThanOrEqual(maxPx);
  await page.context().close();
});

test('a cached page starts with the rung of an earlier visit', async () => {
  const page = await open({ mbps: 8 });
  await untilPlayed(page, 4);
  await page.reload();
  await untilPlayed(page, 0.5);
  const { heightsPx } = await readSeen(page);
  expect(heightsPx[0]).toBeGreaterThanOrEqual(270);
  await page.context().close();
});

test('seeking to a position that is not loaded keeps the rung', async () => {
  const page = await open({ mbps: 8 });
  await untilPlayed(page, 4.5);
  const before = Math.max(...(await readSeen(page)).heightsPx);
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    video.currentTime = 16.2;
  });
  await untilPlayed(page, 17);
  const { heightsPx } = await readSeen(page);
  expect(heightsPx.at(-1)).toBeGreaterThanOrEqual(before);
  expect(heightsPx).toEqual(heightsPx.toSorted((a, b) => a - b));
  await page.context().close();
});

test('a chosen quality replaces the segment that is being played, at its position', async () => {
  const page = await open({ mbps: FAST, query: '&t=8.2' });
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await untilPlayed(page, 8.3);
  const video = page.locator('video');
  // The segment lasts until 12 s of the film. At this speed that is far longer than any switch on a slow machine.
  await video.evaluate((element: HTMLVideoElement) => {
    element.playbackRate = 0.0625;
  });
  const readHeight = () => video.evaluate((element: HTMLVideoElement) => element.videoHeight);
  for (const heightPx of [90, 360]) {
    const before = await readSec(page);
    await page.mouse.move(300, 150);
    await page.locator('bunny-settings-menu-button').click();
    await page.getByRole('menuitem', { name: 'Quality' }).click();
    await page.getByRole('menuitemradio', { name: new RegExp(`^${heightPx}p`) }).click();
    await expect.poll(readHeight, PATIENCE).toBe(heightPx);
    const after = await readSec(page);
    expect(after).toBeGreaterThanOrEqual(before);
    expect(after).toBeLessThan(11.9);
    await expect.poll(() => page.locator('.line-notice').isVisible(), PATIENCE).toBe(false);
  }
  const stopped = await readSec(page);
  await untilPlayed(page, stopped);
  await page.context().close();
});

test('a quality that is chosen shortly before the end is shown after a seek within the last segment', async () => {
  const page = await open({ mbps: FAST, query: '&t=16.5' });
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  const video = page.locator('video');
  await untilPlayed(page, 16.6);
  await expect.poll(() => bufferedSec(page), PATIENCE).toBeGreaterThan(19.5);
  const readHeight = () => video.evaluate((element: HTMLVideoElement) => element.videoHeight);
  const before = await readHeight();
  await page.mouse.move(300, 150);
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Quality' }).click();
  // The rest of the film lasts a moment, also while the menu is handled.
  await video.evaluate((element: HTMLVideoElement) => {
    element.currentTime = element.duration - 0.3;
    element.playbackRate = 1;
  });
  await page
    .getByRole('menuitemradio', { name: before === 90 ? /^180p/ : /^90p/ })
    .evaluate((item: HTMLElement) => item.click());
  const hasEnded = () => video.evaluate((element: HTMLVideoElement) => element.ended);
  await expect.poll(hasEnded, PATIENCE).toBe(true);
  await video.evaluate((element: HTMLVideoElement) => {
    element.currentTime = 17;
  });
  await expect.poll(readHeight, PATIENCE).toBe(before === 90 ? 180 : 90);
  await page.context().close();
});

test('the page shows the quality to which it switches', async () => {
  const page = await open({ mbps: FAST, query: '&t=8.2' });
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await untilPlayed(page, 8.3);
  const lowest = shown.videos.at(-1)?.renditionId;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(`**/r/${lowest}/*.m4s`, async (route) => {
    await released;
    await route.continue();
  });
  await page.mouse.move(300, 150);
  await page.locator('bunny-settings-menu-button').click();
  await page.getByRole('menuitem', { name: 'Quality' }).click();
  await page.getByRole('menuitemradio', { name: /^90p/ }).click();
  await expect.poll(() => page.locator('.line-notice').textContent(), PATIENCE).toBe('Switching to 90p…');
  const atClick = await readSec(page);
  await untilPlayed(page, atClick + 0.5);
  release();
  await expect.poll(() => page.locator('.line-notice').isVisible(), PATIENCE).toBe(false);
  await page.context().close();
});

/** Opens a page that does not start, and returns it with the segments that it fetched once it is quiet. */
async function openPaused(query: string): Promise<{ page: Page; segments: string[] }> {
  const page = await open({ mbps: FAST, query: `&autoplay=false${query}` });
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await page.waitForLoadState('networkidle');
  const urls = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  return { page, segments: urls.filter((url) => /\/\d+\.m4s/.test(url)) };
}

const bufferedSec = (page: Page) =>
  page.locator('video').evaluate(({ buffered }: HTMLVideoElement) => {
    return buffered.length === 0 ? 0 : buffered.end(buffered.length - 1);
  });

test('a page that has not started playback fetches only the first segment and at most 1 MB', async () => {
  const { page, segments } = await openPaused('');
  expect(segments.filter((url) => !url.includes(shown.audio.renditionId))).toHaveLength(1);
  const bytes = await page.evaluate(() =>
    [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
      (sum, entry) => sum + (entry instanceof PerformanceResourceTiming ? entry.transferSize : 0),
      0,
    ),
  );
  expect(bytes).toBeLessThanOrEqual(1_000_000);
  await page.keyboard.press('k');
  await untilPlayed(page, 5);
  await page.context().close();
});

test.each([
  { preload: 'none', hasMedia: false },
  { preload: 'auto', hasMedia: true },
])('preload=$preload fetches media before playback: $hasMedia', async ({ preload, hasMedia }) => {
  const { page, segments } = await openPaused(`&preload=${preload}`);
  if (hasMedia) await expect.poll(() => bufferedSec(page), PATIENCE).toBeGreaterThan(12);
  else expect(segments).toEqual([]);
  await expect.poll(() => page.locator('.clock .total').textContent(), PATIENCE).toMatch(/^0:[1-5]\d$/);
  await page.context().close();
});
