import type { BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, type ExpectStatic, test } from 'vitest';
import { SMALL_PAGE } from '../support/browser.ts';
import { makeFilm } from './make-film.ts';
import { openPlayerFixture, type PlayerFixture } from './player-fixture.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 90_000 };
/** Six segments of about 4 s. */
const FRAMES = 6 * 96;
const RATE = 2;

let fixture: PlayerFixture;
let shown: PublishedFilm;
/** The last segment is a single frame. */
let short: PublishedFilm;

beforeAll(async () => {
  const [opened, film] = await Promise.all([openPlayerFixture(FRAMES, [90]), makeFilm(97, [90])]);
  fixture = opened;
  shown = await fixture.publish();
  const { db } = fixture.database;
  short = await addFilm(db, await addLibrary(db, {}), film, 'A short film');
  await publishWholeFilm(db, fixture.edges.storage, film, short);
});
afterAll(() => fixture.close());

type Watched = { context: BrowserContext; page: Page; loads: () => number };

/** Opens the player at double speed, after `prepare`. `loads` counts how often the page itself was loaded. */
async function watch(prepare: (page: Page) => Promise<unknown>, film = shown): Promise<Watched> {
  const context = await fixture.browser.newContext(SMALL_PAGE);
  const page = await context.newPage();
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  await prepare(page);
  await page.goto(`${fixture.edge.base}/embed/${film.libraryId}/${film.mediaId}?muted=true`);
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

/** Plays the open page to the end. */
async function expectEnds({ page, loads }: Watched, expect: ExpectStatic): Promise<void> {
  await expect.poll(() => read(page), PATIENCE).toMatchObject({ isEnded: true });
  expect(loads()).toBe(1);
  await expect.poll(() => page.locator('.line-notice').isVisible(), PATIENCE).toBe(false);
}

/** Seeks after the end, which loads the target again, and plays to the end again. */
async function expectEndsAgain(watched: Watched, expect: ExpectStatic): Promise<void> {
  await watched.page.locator('video').evaluate((video: HTMLVideoElement) => {
    video.currentTime = 16;
    void video.play();
  });
  await expect.poll(() => read(watched.page), PATIENCE).toMatchObject({ isEnded: false });
  await expectEnds(watched, expect);
}

/** A video or audio segment: `video 2`. */
type SegmentName = `${'video' | 'audio'} ${number}`;

/** Segments whose requests fail: always, or the given number of times each. */
type Faults = {
  install: (page: Page) => Promise<void>;
  /** Number of requests for each segment. */
  requests: () => Record<string, number>;
  /** Segments for which a request failed. */
  met: () => SegmentName[];
};

function faultsAt(
  names: readonly SegmentName[],
  answer: (route: Route) => Promise<void>,
  times = Number.POSITIVE_INFINITY,
): Faults {
  const requests: Record<string, number> = {};
  const met = new Set<SegmentName>();
  const install = async (page: Page) => {
    for (const name of names) {
      const [kind, index] = name.split(' ');
      const { renditionId } = (kind === 'audio' ? shown.audio : shown.videos[0]) ?? {};
      await page.route(`**/r/${renditionId}/${index}.m4s`, (route) => {
        const count = (requests[name] ?? 0) + 1;
        requests[name] = count;
        if (count > times) return route.continue();
        met.add(name);
        return answer(route);
      });
    }
  };
  return { install, requests: () => requests, met: () => names.filter((name) => met.has(name)) };
}

const gone = (route: Route) => route.fulfill({ status: 404, json: { error: 'not-found' } });

/** Keeps the MP4 boxes and turns every frame into noise. */
async function damage(route: Route): Promise<void> {
  const response = await route.fetch();
  const body = await response.body();
  for (let index = body.indexOf('mdat') + 4; index < body.length; index += 1) body[index] = (index * 197) & 0xff;
  await route.fulfill({ response, body });
}

test.concurrent('a video whose last segment is a single frame plays to the end', async ({ expect }) => {
  const watched = await watch(async () => undefined, short);
  await expectEnds(watched, expect);
  await watched.context.close();
});

// Playback is most of each test, so they run in parallel.
test.concurrent('skips segments that are missing on the server, in video and audio, also at the end', async ({
  expect,
}) => {
  const faults = faultsAt(['video 2', 'audio 4', 'video 5'], gone);
  const watched = await watch(faults.install);
  await expectEnds(watched, expect);
  expect(faults.met()).toEqual(['video 2', 'audio 4', 'video 5']);
  await expectEndsAgain(watched, expect);
  await watched.context.close();
});

test.concurrent('plays a temporarily missing segment as soon as it exists', async ({ expect }) => {
  const faults = faultsAt(['video 2'], gone, 1);
  const watched = await watch(faults.install);
  await expectEnds(watched, expect);
  expect(faults.requests()).toEqual({ 'video 2': 2 });
  const frames = await watched.page
    .locator('video')
    .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames);
  // Without that segment, only 5/6 of the frames remain.
  expect(frames).toBeGreaterThan(FRAMES * 0.9);
  await watched.context.close();
});

test.concurrent('skips a gap in the timeline', async ({ expect }) => {
  // The playlist lists the segment, but the response contains another part of the film.
  const faults = faultsAt(['video 3'], async (route) => {
    const other = await route.fetch({ url: route.request().url().replace('/3.m4s', '/2.m4s') });
    await route.fulfill({ response: other });
  });
  const watched = await watch(faults.install);
  await expectEnds(watched, expect);
  expect(faults.met()).toEqual(['video 3']);
  await watched.context.close();
});

test.concurrent.for<[string, number]>([
  ['once', 1],
  ['each time', Number.POSITIVE_INFINITY],
])('a segment that cannot be decoded %s does not stop playback', async ([, times], { expect }) => {
  const faults = faultsAt(['video 2'], damage, times);
  const watched = await watch(faults.install);
  await expectEnds(watched, expect);
  expect(faults.met()).toEqual(['video 2']);
  await watched.context.close();
});

test.concurrent('continues after a decoder error at a segment boundary', async ({ expect }) => {
  const { promise: isThere, resolve: goOn } = Promise.withResolvers<void>();
  let hasReset = false;
  // All requests before the reset get damaged bytes: hls.js may repeat a request that is slow or cut by the seek.
  const faults = faultsAt(['video 2'], async (route) => {
    await isThere;
    await (hasReset ? route.continue() : damage(route));
  });
  const watched = await watch(faults.install);
  const video = watched.page.locator('video');
  const loadedSec = () => video.evaluate(({ buffered }: HTMLVideoElement) => buffered.length && buffered.end(0));
  await expect.poll(loadedSec, PATIENCE).toBeGreaterThan(7);
  // Slow enough to stay at this position until the segment has arrived. The listener is there before it arrives.
  await video.evaluate(async (element: HTMLVideoElement, rate) => {
    element.playbackRate = 0.1;
    element.currentTime = 4.02;
    await new Promise((resolve) => element.addEventListener('seeked', resolve, { once: true }));
    const goOnFaster = () => {
      element.dataset.emptied = 'yes';
      element.playbackRate = rate;
    };
    element.addEventListener('emptied', goOnFaster, { once: true });
  }, RATE);
  goOn();
  await expect.poll(() => video.getAttribute('data-emptied'), PATIENCE).toBe('yes');
  hasReset = true;
  await expectEnds(watched, expect);
  expect(faults.met()).toEqual(['video 2']);
  await watched.context.close();
});

test.concurrent('a video whose last segment cannot be decoded ends before that segment', async ({ expect }) => {
  const faults = faultsAt(['video 5'], damage);
  const watched = await watch(faults.install);
  await expectEnds(watched, expect);
  expect(faults.met()).toEqual(['video 5']);
  expect((await read(watched.page)).sec).toBeGreaterThan(19);
  await expectEndsAgain(watched, expect);
  await watched.context.close();
});

test.concurrent('playback continues at its position after a sleep that broke its connections', async ({ expect }) => {
  const later: SegmentName[] = [2, 3, 4, 5].flatMap((index) => [`video ${index}`, `audio ${index}`] as const);
  const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
  let isAwake = false;
  let requestsAwake = 0;
  // Requests get no response until the machine wakes up and the connection is lost.
  const faults = faultsAt(later, async (route) => {
    if (isAwake) {
      requestsAwake += 1;
      return route.continue();
    }
    await awake;
    return route.abort('connectionreset');
  });
  const watched = await watch(faults.install);
  const { page, context } = watched;
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(2);
  const wire = await context.newCDPSession(page);
  const offline = { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
  await wire.send('Network.enable');
  await wire.send('Network.emulateNetworkConditions', offline);
  const { sec } = await read(page);
  await wire.send('Page.setWebLifecycleState', { state: 'frozen' });
  // Time passes for the machine but not for the page. This is the only case in which a test has to wait.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  await wire.send('Page.setWebLifecycleState', { state: 'active' });
  await wire.send('Network.emulateNetworkConditions', { ...offline, offline: false });
  isAwake = true;
  wake();
  await page.locator('video').evaluate((video: HTMLVideoElement) => void video.play().catch(() => undefined));
  const firstShownSec = await page.locator('video').evaluate(
    (video: HTMLVideoElement) =>
      new Promise<number>((resolve) => {
        video.requestVideoFrameCallback((_, { mediaTime }) => resolve(mediaTime));
      }),
  );
  // The frame on screen may be a few frames behind the clock.
  expect(firstShownSec).toBeGreaterThan(sec - 1);
  await expectEnds(watched, expect);
  expect(requestsAwake).toBeGreaterThan(0);
  await context.close();
});

test.concurrent('reports a lost network connection, and continues automatically when it returns', async ({
  expect,
}) => {
  // Little is buffered, so playback stalls.
  const faults = faultsAt(['video 1'], (route) => route.abort('internetdisconnected'));
  const watched = await watch(faults.install);
  const { page, context } = watched;
  await context.setOffline(true);
  await page.getByText('No network connection. Playback resumes automatically.').waitFor(PATIENCE);
  await page.unrouteAll({ behavior: 'wait' });
  await context.setOffline(false);
  await expectEnds(watched, expect);
  await context.close();
});

test.concurrent('a video whose last segment is delayed by a lost connection waits for it', async ({ expect }) => {
  const faults = faultsAt(['video 5', 'audio 5'], (route) => route.abort('internetdisconnected'));
  const watched = await watch(faults.install);
  const { page, context } = watched;
  await expect.poll(async () => (await read(page)).sec, PATIENCE).toBeGreaterThan(19.5);
  // Longer than the player's wait for missing media.
  await page.waitForTimeout(6_000);
  expect(await read(page)).toMatchObject({ isEnded: false });
  await page.unrouteAll({ behavior: 'wait' });
  await expectEnds(watched, expect);
  expect((await read(page)).sec).toBeGreaterThan(23);
  await context.close();
});

test.concurrent('reopens connections that a network change cut', async ({ expect }) => {
  const faults = faultsAt(['video 1', 'audio 2', 'video 4'], (route) => route.abort('connectionreset'), 1);
  const watched = await watch(faults.install);
  await expectEnds(watched, expect);
  expect(faults.met()).toEqual(['video 1', 'audio 2', 'video 4']);
  await watched.context.close();
});
