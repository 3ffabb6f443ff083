import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlayerRoom, type PlayerRoom } from './player-room.ts';
import type { PublishedFilm } from './publish.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 120_000 };
/** Twenty seconds. */
const FRAMES = 480;
const HEIGHTS_PX = [360, 270, 180, 90];
const RATES_BPS = [4_600_000, 2_600_000, 950_000, 450_000];
const LATENCY_MS = 40;
/** A buffer below this is empty. */
const EMPTY_SEC = 0.3;

let room: PlayerRoom;
let shown: PublishedFilm;

beforeAll(async () => {
  room = await openPlayerRoom(FRAMES, HEIGHTS_PX, RATES_BPS);
  shown = await room.publish();
});
afterAll(() => room.close());

type Line = { mbps: number; size?: { width: number; height: number }; connection?: object };

/** Opens the player with an empty cache on a connection of this bandwidth. */
async function open({ mbps, size = { width: 640, height: 360 }, connection }: Line): Promise<Page> {
  const context = await room.browser.newContext({ viewport: size });
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  const bytesPerSec = (mbps * 1e6) / 8;
  const rates = { downloadThroughput: bytesPerSec, uploadThroughput: bytesPerSec };
  await wire.send('Network.emulateNetworkConditions', { offline: false, latency: LATENCY_MS, ...rates });
  await page.addInitScript(watchPicture, EMPTY_SEC);
  if (connection !== undefined) await page.addInitScript(pretendConnection, connection);
  const { libraryId, mediaId } = shown;
  await page.goto(`${room.edge.base}/embed/${libraryId}/${mediaId}?muted=true`);
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

async function untilPlayed(page: Page, sec: number): Promise<void> {
  const read = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);
  await expect.poll(read, PATIENCE).toBeGreaterThan(sec);
}

test.each([
  { mbps: 20, firstPx: 270, laterPx: 360 },
  { mbps: 8, firstPx: 270, laterPx: 270 },
  { mbps: 2, firstPx: 90, laterPx: 180 },
])('at $mbps Mbit/s playback starts with $firstPx or more, reaches $laterPx, and never stalls', async (line) => {
  const page = await open(line);
  await untilPlayed(page, 10);
  const { heightsPx, stalls } = await readSeen(page);
  expect(heightsPx[0]).toBeGreaterThanOrEqual(line.firstPx);
  expect(Math.max(...heightsPx)).toBeGreaterThanOrEqual(line.laterPx);
  // The picture never becomes worse on a steady connection.
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

test('a cached page starts with the rung that an earlier visit knew', async () => {
  const page = await open({ mbps: 8 });
  await untilPlayed(page, 4);
  await page.reload();
  await untilPlayed(page, 0.5);
  const { heightsPx } = await readSeen(page);
  expect(heightsPx[0]).toBeGreaterThanOrEqual(270);
  await page.context().close();
});
