import { afterAll, beforeAll, expect, test } from 'vitest';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import type { SeenSession } from '../../src/catalog/statistics/sums/statistics-gain.ts';
import { type Delivered, keepDeliveries } from '../../src/catalog/statistics/sums/view-evidence-store.ts';
import { SMALL_PAGE } from '../support/browser.ts';
import { testViewing } from '../support/viewing.ts';
import { keepLedger, readLedger } from './picture-ledger.ts';
import type { PublishedFilm } from './publish.ts';
import {
  openPlayer,
  openViewingFixture,
  PERSON,
  playTo,
  publishFilm,
  seekTo,
  sumsOf,
  type ViewingFixture,
} from './viewing-fixture.ts';

// Problems that users of similar systems reported, one case each.

/** Timeout that only a hang exceeds. */
const HANG_MS = 180_000;

let fixture: ViewingFixture;

beforeAll(async () => {
  fixture = await openViewingFixture();
}, HANG_MS);
afterAll(() => fixture.close());

/** Watches a second of a new film in a new browser context. */
async function watchAsNew(
  context: Parameters<ViewingFixture['browser']['newContext']>[0],
  { base, query }: { base: string; query: string },
): Promise<PublishedFilm> {
  const shown = await publishFilm(fixture);
  const viewer = await fixture.browser.newContext({ ...SMALL_PAGE, userAgent: PERSON, ...context });
  const page = await viewer.newPage();
  await page.goto(`${base}/embed/${fixture.libraryId}/${shown.mediaId}?${query}`);
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1);
  await viewer.close();
  return shown;
}

const isSeen = (shown: PublishedFilm, views: number) =>
  expect.poll(async () => (await sumsOf(fixture, shown)).views, { timeout: 15_000 }).toBe(views);

test('statistics include a playback that is still running', { timeout: HANG_MS }, async () => {
  const shown = await publishFilm(fixture);
  const page = await openPlayer(fixture, shown);
  await isSeen(shown, 1);
  await page.close();
});

test('counts viewers in private windows', { timeout: HANG_MS }, async () => {
  const shown = await watchAsNew({}, { base: fixture.edge.base, query: 'muted=true' });
  await isSeen(shown, 1);
});

test('counts a video that starts automatically and muted', { timeout: HANG_MS }, async () => {
  await isSeen(await watchAsNew({}, { base: fixture.edge.base, query: 'autoplay=true&muted=true&preload=false' }), 1);
});

test('counts viewers behind one proxy separately, even if they share a private IP address', {
  timeout: HANG_MS,
}, async () => {
  const count = (sessions: readonly SeenSession[]) => countSessions(fixture.database.db, sessions);
  const keep = (deliveries: readonly Delivered[]) => keepDeliveries(fixture.database.db, deliveries);
  const edge = await fixture.edges.start({
    viewing: testViewing({ count, keepDeliveries: keep }),
    trustedProxies: ['127.0.0.1'],
  });
  const headers = [{ 'X-Forwarded-For': '10.1.2.3' }, { 'X-Forwarded-For': '10.1.2.3' }, {}];
  const shown = await publishFilm(fixture);
  const viewers = headers.map(async (extraHTTPHeaders) => {
    const viewer = await fixture.browser.newContext({ ...SMALL_PAGE, userAgent: PERSON, extraHTTPHeaders });
    const page = await viewer.newPage();
    await page.goto(`${edge.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true`);
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 1);
    await viewer.close();
  });
  await Promise.all(viewers);
  await isSeen(shown, 3);
  // Private addresses have no known country, so these views appear only in the charts.
  expect((await sumsOf(fixture, shown)).countryViewCounts).toEqual({});
  await edge.close();
});

test('counts a session with many starts, pauses and beacons once', { timeout: HANG_MS }, async () => {
  const shown = await publishFilm(fixture);
  const page = await openPlayer(fixture, shown, 'autoplay=false');
  await keepLedger(page);
  for (const sec of [0.5, 1, 1.5]) await playTo(page, sec);
  for (const state of ['hidden', 'visible']) {
    await page.evaluate((to) => {
      Object.defineProperty(document, 'visibilityState', { value: to, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  }
  await seekTo(page, 9);
  await playTo(page, 99);
  await seekTo(page, 0);
  await playTo(page, 1);
  const { watchedSec } = await readLedger(page);
  await page.close();
  const later = await publishFilm(fixture);
  const other = await openPlayer(fixture, later);
  await playTo(other, 1);
  await other.close();
  // Once this session is counted, everything sent before it has been counted.
  await isSeen(later, 1);
  const { views, watchSec } = await sumsOf(fixture, shown);
  expect(views).toBe(1);
  // 1.5 s, the rest after 9 s of ten, and 1 s, each up to the next event of the video element, counted in whole
  // seconds.
  expect(watchedSec).toBeGreaterThan(2);
  expect(Math.abs(watchSec - watchedSec)).toBeLessThanOrEqual(1);
});
