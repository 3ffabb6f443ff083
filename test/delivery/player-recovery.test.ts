import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, type ExpectStatic, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeRoom, type EdgeRoom, type TestEdge } from './start-test-edge.ts';

/** A bound on hanging. */
const PATIENCE = { timeout: 90_000 };
/** Six segments of about 4 s. */
const FRAMES = 6 * 96;
const RATE = 2;

let database: TestDatabase;
let room: EdgeRoom;
let edge: TestEdge;
let film: Film;
let browser: Browser;
let shown: PublishedFilm;

beforeAll(async () => {
  [database, film, browser] = await Promise.all([startTestDatabase(), makeFilm(FRAMES, [90]), openBrowser()]);
  room = await createEdgeRoom(database);
  edge = await room.start();
  shown = await addFilm(database.db, await addLibrary(database.db), film, 'A film');
  await publishWholeFilm(database.db, room.storage, film, shown);
});
afterAll(async () => {
  await browser.close();
  await edge.close();
  await room.close();
  await database.stop();
});

type Watched = { context: BrowserContext; page: Page; loads: () => number };

/** Opens the player at twice its speed, after `prepare`; `loads` counts how often the page itself was loaded. */
async function watch(prepare: (page: Page) => Promise<unknown>, query = ''): Promise<Watched> {
  const context = await browser.newContext();
  const page = await context.newPage();
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  await prepare(page);
  await page.goto(`${edge.base}/embed/${shown.libraryId}/${shown.mediaId}?muted=true${query}`);
  await page.locator('media-controller[ready]').waitFor(PATIENCE);
  await page.locator('video').evaluate((video: HTMLVideoElement, rate) => {
    video.playbackRate = rate;
  }, RATE);
  return { context, page, loads: () => loads };
}

const read = (page: Page) =>
  page.locator('video').evaluate((video: HTMLVideoElement) => ({
    sec: video.currentTime,
    isEnded: video.ended,
  }));

/** To its end, in the page that was opened. */
async function expectEnds({ page, loads }: Watched, expect: ExpectStatic): Promise<void> {
  await expect.poll(() => read(page), PATIENCE).toMatchObject({ isEnded: true });
  expect(loads()).toBe(1);
  await expect.poll(() => page.locator('.line-notice').isVisible(), PATIENCE).toBe(false);
}

/** The address of a segment of the picture or of the sound. */
const segmentOf = (kind: 'video' | 'audio', index: number) => {
  const renditionId = kind === 'video' ? shown.videos[0]?.renditionId : shown.audio.renditionId;
  return `**/r/${renditionId}/${index}.m4s`;
};

const gone = (route: Route) => route.fulfill({ status: 404, json: { error: 'not-found' } });

// Most of each is a picture that moves: they run side by side.
test.concurrent('a segment that the server does not have is passed over, of the picture and of the sound', async ({
  expect,
}) => {
  const watched = await watch(async (page) => {
    await page.route(segmentOf('video', 2), gone);
    await page.route(segmentOf('audio', 4), gone);
  });
  await expectEnds(watched, expect);
  await watched.context.close();
});

test.concurrent('a segment that is missing for a while is played when it is there', async ({ expect }) => {
  let misses = 0;
  const watched = await watch((page) =>
    page.route(segmentOf('video', 2), (route) => {
      misses += 1;
      return misses === 1 ? gone(route) : route.continue();
    }),
  );
  await expectEnds(watched, expect);
  const frames = await watched.page
    .locator('video')
    .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);
  expect(frames).toBeGreaterThan(FRAMES * 0.8);
  await watched.context.close();
});

test.concurrent('a gap in the timeline is jumped over', async ({ expect }) => {
  // The playlist says that the segment is there; what comes is another place of the film.
  const watched = await watch((page) =>
    page.route(segmentOf('video', 3), async (route) => {
      const other = await route.fetch({ url: route.request().url().replace('/3.m4s', '/2.m4s') });
      await route.fulfill({ response: other });
    }),
  );
  await expectEnds(watched, expect);
  await watched.context.close();
});

test.concurrent.for<[string, number]>([
  ['once', 1],
  ['each time', Number.POSITIVE_INFINITY],
])('a segment that cannot be decoded %s does not end playback', async ([, times], { expect }) => {
  let damaged = 0;
  const watched = await watch((page) =>
    page.route(segmentOf('video', 2), async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      damaged += 1;
      // The boxes stay as they are; every frame is noise.
      if (damaged <= times)
        for (let at = body.indexOf('mdat') + 4; at < body.length; at += 1) body[at] = (at * 197) & 0xff;
      await route.fulfill({ response, body });
    }),
  );
  await expectEnds(watched, expect);
  expect(damaged).toBeGreaterThan(0);
  await watched.context.close();
});

test.concurrent('after a sleep that lost its connections, playback goes on where it was', async ({ expect }) => {
  const watched = await watch(async () => undefined);
  const { page, context } = watched;
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(1);
  const wire = await context.newCDPSession(page);
  const offline = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await wire.send('Network.enable');
  await wire.send('Network.emulateNetworkConditions', offline);
  await wire.send('Page.setWebLifecycleState', { state: 'frozen' });
  // Time passes for the machine and not for the page: the one case in which a test has to wait.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await wire.send('Page.setWebLifecycleState', { state: 'active' });
  await wire.send('Network.emulateNetworkConditions', { ...offline, offline: false });
  await page.locator('video').evaluate((video: HTMLVideoElement) => void video.play().catch(() => undefined));
  await expectEnds(watched, expect);
  await context.close();
});

test.concurrent('without a network it says so, and goes on by itself when there is one again', async ({ expect }) => {
  // So little is loaded ahead that playback comes to rest.
  const watched = await watch((page) =>
    page.route(segmentOf('video', 1), (route) => route.abort('internetdisconnected')),
  );
  const { page, context } = watched;
  await context.setOffline(true);
  await page.getByText('No network. Playback goes on by itself.').waitFor(PATIENCE);
  await page.unrouteAll({ behavior: 'wait' });
  await context.setOffline(false);
  await expectEnds(watched, expect);
  await context.close();
});

test.concurrent('connections that are cut by a change of the network are made anew', async ({ expect }) => {
  let cuts = 0;
  const watched = await watch((page) =>
    page.route(/\.m4s$/, (route) => {
      cuts += 1;
      return cuts % 3 === 0 && cuts < 12 ? route.abort('connectionreset') : route.continue();
    }),
  );
  await expectEnds(watched, expect);
  await watched.context.close();
});
