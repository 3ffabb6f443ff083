import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SeenSession } from '../../src/catalog/statistics/statistics-gain.ts';
import { createStatisticsStore } from '../../src/catalog/statistics/statistics-store.ts';
import { HOUR_MS } from '../../src/catalog/statistics/viewing-session.ts';
import { countSessions } from '../../src/catalog/statistics/viewing-session-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { openBrowser } from '../support/browser.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeRoom, type EdgeRoom, type TestEdge } from './start-test-edge.ts';

/** What a person's browser calls itself: that of the tests calls itself headless, which counts as a machine. */
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const TICKET_SECRET = Buffer.alloc(32, 8);

let database: TestDatabase;
let room: EdgeRoom;
let edge: TestEdge;
let film: Film;
let browser: Browser;
let people: BrowserContext;
let libraryId: number;

beforeAll(async () => {
  [database, film, browser] = await Promise.all([startTestDatabase(), makeFilm(240, [180]), openBrowser()]);
  room = await createEdgeRoom(database);
  const geo = { countryOf: () => 'DE' };
  const count = (sessions: readonly SeenSession[]) => countSessions(database.db, sessions);
  const { heatCurve } = createStatisticsStore(database.db);
  edge = await room.start({
    viewing: { count, heatCurve, geo, ticketSecret: TICKET_SECRET },
  });
  people = await browser.newContext({ userAgent: PERSON });
  libraryId = await addLibrary(database.db);
});
afterAll(async () => {
  await browser.close();
  await edge.close();
  await room.close();
  await database.stop();
});

async function publishFilm(): Promise<PublishedFilm> {
  const shown = await addFilm(database.db, libraryId, film);
  await publishWholeFilm(database.db, room.storage, film, shown);
  return shown;
}

async function openPlayer(shown: PublishedFilm, query = ''): Promise<Page> {
  const page = await people.newPage();
  await page.goto(`${edge.base}/embed/${libraryId}/${shown.mediaId}?muted=true&${query}`);
  return page;
}

/** Plays from the start until the picture has come to `sec`, and pauses. */
async function playTo(page: Page, sec: number): Promise<void> {
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

async function sumsOf({ mediaId }: PublishedFilm) {
  const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const range = { fromMs: hourMs - HOUR_MS, toMs: hourMs + 2 * HOUR_MS, stepMs: HOUR_MS };
  const statistics = await createStatisticsStore(database.db).load({ libraryId, mediaId }, range);
  const sum = (chart: Record<string, number>) => Object.values(chart).reduce((all, value) => all + value, 0);
  return { views: sum(statistics.viewsChart), watchSec: sum(statistics.watchTimeChart), ...statistics };
}

async function heatOf({ mediaId }: PublishedFilm): Promise<number[]> {
  const row = await database.db.selectFrom('media_heat').select('counts').where('media_id', '=', mediaId);
  const counts = (await row.executeTakeFirst())?.counts ?? Buffer.alloc(0);
  return Array.from({ length: counts.length / 4 }, (_, index) => counts.readUInt32LE(index * 4));
}

test('a visit in a real browser is one view, with the seconds that moved and what was played again', async () => {
  const shown = await publishFilm();
  const page = await openPlayer(shown, 'autoplay=false');
  await playTo(page, 3.2);
  await expect.poll(async () => (await sumsOf(shown)).views).toBe(1);
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    video.currentTime = 1;
  });
  await playTo(page, 2.3);
  await page.close();
  await expect.poll(async () => (await heatOf(shown)).slice(0, 6)).toEqual([1, 2, 2, 1]);
  const { views, watchSec, countryViewCounts } = await sumsOf(shown);
  // 3.2 s and 1.3 s, each up to the next event of the picture.
  expect(watchSec).toBeGreaterThanOrEqual(4);
  expect(watchSec).toBeLessThanOrEqual(6);
  expect([views, countryViewCounts]).toEqual([1, { DE: 1 }]);
  const media = await database.db
    .selectFrom('media')
    .select(['views', 'watch_sec_total'])
    .where('id', '=', shown.mediaId);
  expect(await media.executeTakeFirst()).toEqual({ views: 1, watch_sec_total: watchSec });
});

test("a second tab is a second view, an owner's preview none", async () => {
  const shown = await publishFilm();
  const tabs = await Promise.all([openPlayer(shown), openPlayer(shown), openPlayer(shown, 'count=false')]);
  for (const tab of tabs) await playTo(tab, 1);
  for (const tab of tabs) await tab.close();
  await expect.poll(async () => (await sumsOf(shown)).views).toBe(2);
});

test('what was captured and sent again, turned around, forged or sent by a crawler counts nothing', async () => {
  const shown = await publishFilm();
  const page = await openPlayer(shown, 'autoplay=false');
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/beacons')) bodies.push(request.postData() ?? '');
  });
  await playTo(page, 2.2);
  await expect.poll(() => bodies.length).toBeGreaterThan(1);
  await page.close();
  const [ticket = '', text = ''] = bodies.at(-1)?.split('\n') ?? [];
  const watchSec = JSON.parse(text).watchedSec.reduce((sum: number, sec: number) => sum + sec, 0);
  await expect.poll(() => sumsOf(shown)).toMatchObject({ views: 1, watchSec });
  const before = await sumsOf(shown);
  const heat = await heatOf(shown);
  const send = (body: string, userAgent = PERSON) =>
    fetch(`${edge.base}/beacons`, { method: 'POST', body, headers: { 'user-agent': userAgent } });
  for (const body of [...bodies, ...bodies.toReversed(), ...bodies]) await send(body);
  const other = JSON.stringify({ ...JSON.parse(text), session: newGuid(), sequence: 9 });
  await send(`${ticket.slice(0, -2)}AA\n${other}`);
  await send(`${ticket.replace(shown.mediaId, newGuid())}\n${other}`);
  await send(`${ticket}\n${other}`, 'Googlebot/2.1 (+http://www.google.com/bot.html)');
  await send(`${ticket}\n${other}`, '');
  const later = await publishFilm();
  const known = await openPlayer(later);
  await playTo(known, 1);
  await known.close();
  // What was sent before it has been counted when it is.
  await expect.poll(async () => (await sumsOf(later)).views).toBe(1);
  expect(await sumsOf(shown)).toEqual(before);
  expect(await heatOf(shown)).toEqual(heat);
});

test('while the database is away nothing is lost, and nothing counts twice', async () => {
  let isAway = true;
  const away = await room.start({
    viewing: {
      async count(sessions) {
        if (isAway) throw new Error('The database is away.');
        await countSessions(database.db, sessions);
        await countSessions(database.db, sessions);
      },
      heatCurve: async () => null,
      geo: { countryOf: () => null },
      ticketSecret: TICKET_SECRET,
    },
  });
  const shown = await publishFilm();
  const page = await people.newPage();
  await page.goto(`${away.base}/embed/${libraryId}/${shown.mediaId}?muted=true&autoplay=false`);
  await playTo(page, 1.2);
  await page.close();
  await expect.poll(() => away.lines.length).toBeGreaterThan(0);
  expect((await sumsOf(shown)).views).toBe(0);
  isAway = false;
  await expect.poll(async () => (await sumsOf(shown)).views).toBe(1);
  await away.close();
  expect((await sumsOf(shown)).watchSec).toBeLessThanOrEqual(3);
});

test('the page shows what is played most, from five visits on, where its library shows that', async () => {
  const showing = await addLibrary(database.db, { player: { showHeatmap: true } });
  const heats: unknown[] = [];
  for (const library of [showing, libraryId]) {
    const shown = await addFilm(database.db, library, film);
    await publishWholeFilm(database.db, room.storage, film, shown);
    const visit = { libraryId: library, mediaId: shown.mediaId, startHourMs: 0, sequence: 1, watchedSec: [2] };
    const rest = { bucketSec: 1, startupMs: null, stallCount: 0, stallMs: 0, failures: 0, country: '', device: '' };
    const sessions = Array.from({ length: 5 }, () => newGuid()).map((sessionId): SeenSession => {
      return { ...visit, ...rest, sessionId, referrerHost: '', heat: Buffer.from([2, 1]) };
    });
    await countSessions(database.db, sessions);
    const state = await fetch(`${edge.base}/embed/${library}/${shown.mediaId}/state`);
    heats.push(Object(Object(await state.json()).details).heat);
  }
  expect(heats).toEqual([[100, 50], null]);
});
