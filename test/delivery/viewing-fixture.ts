import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { createStatisticsStore } from '../../src/catalog/statistics/reports/statistics-store.ts';
import { HOUR_MS } from '../../src/catalog/statistics/sessions/viewing-session.ts';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import type { SeenSession } from '../../src/catalog/statistics/sums/statistics-gain.ts';
import { type Delivered, keepDeliveries } from '../../src/catalog/statistics/sums/view-evidence-store.ts';
import { openBrowser, SMALL_PAGE } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { testViewing } from '../support/viewing.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

/** User agent of a person's browser. The tests' browser identifies itself as headless, which counts as a machine. */
export const PERSON =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** An edge, a database with statistics, and a browser in which a person watches films of ten seconds. */
export type ViewingFixture = {
  database: TestDatabase;
  edges: EdgeFixture;
  edge: TestEdge;
  film: Film;
  browser: Browser;
  people: BrowserContext;
  libraryId: number;
  close(): Promise<void>;
};

export async function openViewingFixture(): Promise<ViewingFixture> {
  const [database, film, browser] = await Promise.all([startTestDatabase(), makeFilm(240, [180]), openBrowser()]);
  const edges = await createEdgeFixture(database);
  const count = (sessions: readonly SeenSession[]) => countSessions(database.db, sessions);
  const { heatCurve } = createStatisticsStore(database.db);
  const keep = (deliveries: readonly Delivered[]) => keepDeliveries(database.db, deliveries);
  const viewing = testViewing({ count, heatCurve, keepDeliveries: keep });
  const edge = await edges.start({ viewing, locator: { locate: () => ({ country: 'DE', asn: '' }) } });
  const people = await browser.newContext({ ...SMALL_PAGE, userAgent: PERSON });
  // Timeout that only a hang exceeds. A page is slow on a busy machine.
  people.setDefaultTimeout(120_000);
  const libraryId = await addLibrary(database.db);
  return {
    ...{ database, edges, edge, film, browser, people, libraryId },
    async close() {
      await browser.close();
      await edge.close();
      await edges.close();
      await database.stop();
    },
  };
}

export async function publishFilm({ database, edges, film, libraryId }: ViewingFixture): Promise<PublishedFilm> {
  const shown = await addFilm(database.db, libraryId, film);
  await publishWholeFilm(database.db, edges.storage, film, shown);
  return shown;
}

export async function openPlayer(fixture: ViewingFixture, shown: PublishedFilm, query = ''): Promise<Page> {
  const page = await fixture.people.newPage();
  const answer = await page.goto(
    `${fixture.edge.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true&${query}`,
  );
  if (answer?.status() !== 200) throw new Error(`Expected a player page, got the status ${answer?.status()}.`);
  return page;
}

/** Plays from the start until the position `sec`, and pauses. */
export async function playTo(page: Page | Frame, sec: number): Promise<void> {
  await page.locator('video').evaluate(async (video: HTMLVideoElement, until: number) => {
    const isThere = new Promise<void>((resolve) => {
      video.addEventListener('timeupdate', () => {
        if (video.currentTime >= until || video.ended) resolve();
      });
    });
    await video.play();
    await isThere;
    video.pause();
  }, sec);
}

/** Returns the library's statistics of a video in the hours around now. */
export async function sumsOf({ database, libraryId }: ViewingFixture, { mediaId }: PublishedFilm) {
  const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const range = { fromMs: hourMs - HOUR_MS, toMs: hourMs + 2 * HOUR_MS, stepMs: HOUR_MS };
  const statistics = await createStatisticsStore(database.db).load({ libraryId, mediaId }, range);
  const sum = (chart: Record<string, number>) => Object.values(chart).reduce((all, value) => all + value, 0);
  return { views: sum(statistics.viewsChart), watchSec: sum(statistics.watchTimeChart), ...statistics };
}

/** Returns the number of sessions of a video, whether they count as views or not. */
export async function visitsOf({ database }: ViewingFixture, { mediaId }: PublishedFilm): Promise<number> {
  const rows = database.db.selectFrom('view_session').select('session_id').where('media_id', '=', mediaId);
  return (await rows.execute()).length;
}

/** Returns how often each second of a video was played. */
export async function heatOf({ database }: ViewingFixture, { mediaId }: PublishedFilm): Promise<number[]> {
  const row = await database.db.selectFrom('media_heat').select('counts').where('media_id', '=', mediaId);
  const counts = (await row.executeTakeFirst())?.counts ?? Buffer.alloc(0);
  return Array.from({ length: counts.length / 4 }, (_, index) => counts.readUInt32LE(index * 4));
}

export async function seekTo(page: Page | Frame, sec: number): Promise<void> {
  await page.locator('video').evaluate((video: HTMLVideoElement, to: number) => {
    video.currentTime = to;
  }, sec);
}
