import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPageName, readTicket, writeTicket } from '../../src/catalog/statistics/sessions/viewing-ticket.ts';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import type { PlayerPhase, PlayerState } from '../../src/delivery/player/player-state.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { captureLog } from '../support/capture-log.ts';
import { someSession } from '../support/some-session.ts';
import { TICKET_SECRET, testViewing } from '../support/viewing.ts';
import { forceState } from './forced-state.ts';
import { addFilm, addLibrary, publishWholeFilm } from './publish.ts';
import {
  heatOf,
  openPlayer,
  openViewingFixture,
  PERSON,
  playTo,
  publishFilm,
  sumsOf,
  type ViewingFixture,
  visitsOf,
} from './viewing-fixture.ts';

/** Timeout that only a hang exceeds. */
const PATIENCE = { timeout: 60_000 };

let fixture: ViewingFixture;

beforeAll(async () => {
  fixture = await openViewingFixture();
});
afterAll(() => fixture.close());

test('a session in a real browser is one view, with its played and replayed seconds', async () => {
  const shown = await publishFilm(fixture);
  const page = await openPlayer(fixture, shown, 'autoplay=false');
  await playTo(page, 3.2);
  await expect.poll(async () => (await sumsOf(fixture, shown)).views).toBe(1);
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    video.currentTime = 1;
  });
  await playTo(page, 2.3);
  await page.close();
  await expect.poll(async () => (await heatOf(fixture, shown)).slice(0, 6)).toEqual([1, 2, 2, 1, 0, 0]);
  const { views, watchSec, countryViewCounts } = await sumsOf(fixture, shown);
  // 3.2 s and 1.3 s, each up to the next event of the video element.
  expect(watchSec).toBeGreaterThanOrEqual(4);
  expect(watchSec).toBeLessThanOrEqual(6);
  expect([views, countryViewCounts]).toEqual([1, { DE: 1 }]);
  const media = await fixture.database.db
    .selectFrom('media')
    .select(['views', 'watch_sec_total'])
    .where('id', '=', shown.mediaId);
  expect(await media.executeTakeFirst()).toEqual({ views: 1, watch_sec_total: watchSec });
});

test('a reloaded page continues its session, and a duplicated tab starts a new session', async () => {
  const shown = await publishFilm(fixture);
  const page = await openPlayer(fixture, shown, 'autoplay=false');
  await playTo(page, 2.2);
  await page.reload();
  await playTo(page, 1.2);
  await expect.poll(async () => (await heatOf(fixture, shown)).slice(0, 3)).toEqual([2, 2, 1]);
  // A window that a page opens receives a copy of the tab's session storage, like a duplicate.
  const [duplicate] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(() => void window.open(location.href)),
  ]);
  await playTo(duplicate, 1.2);
  await page.reload();
  await playTo(page, 1.2);
  for (const tab of [page, duplicate]) await tab.close();
  await expect.poll(async () => (await heatOf(fixture, shown)).slice(0, 3)).toEqual([4, 4, 1]);
  const { views, watchSec } = await sumsOf(fixture, shown);
  // The same viewer counts once in half an hour.
  expect([views, await visitsOf(fixture, shown)]).toEqual([1, 2]);
  // 2.2 s and three times 1.2 s, each up to the next event of the video element, counted in whole seconds per session.
  expect(watchSec).toBeGreaterThanOrEqual(5);
  expect(watchSec).toBeLessThanOrEqual(8);
});

test('a page that is reloaded after half an hour of idling, or without storage, starts a new session', async () => {
  const shown = await publishFilm(fixture);
  const page = await openPlayer(fixture, shown, 'autoplay=false');
  await playTo(page, 1);
  // Makes the stored session look idle for longer than it was.
  await page.evaluate(() => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = function keep(name, text) {
      const { ticket, ...kept } = JSON.parse(text);
      const fields = ticket?.split('.');
      if (fields !== undefined) fields[2] -= 31 * 60_000;
      setItem.call(this, name, JSON.stringify({ ...kept, ticket: fields?.join('.') }));
    };
  });
  await page.reload();
  await playTo(page, 1);
  await expect.poll(() => visitsOf(fixture, shown)).toBe(2);
  await page.addInitScript(() => {
    Object.defineProperty(window, 'sessionStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await page.reload();
  await playTo(page, 1);
  await expect.poll(() => visitsOf(fixture, shown)).toBe(3);
  await page.reload();
  await playTo(page, 1);
  await page.close();
  await expect.poll(() => visitsOf(fixture, shown)).toBe(4);
  // The viewer is the same in all sessions.
  expect((await sumsOf(fixture, shown)).views).toBe(1);
});

test("a second tab is another session of the same viewer, and an owner's preview is not counted", async () => {
  const shown = await publishFilm(fixture);
  const tabs = await Promise.all([
    openPlayer(fixture, shown),
    openPlayer(fixture, shown),
    openPlayer(fixture, shown, 'count=false'),
  ]);
  for (const tab of tabs) await playTo(tab, 1);
  for (const tab of tabs) await tab.close();
  await expect.poll(() => visitsOf(fixture, shown)).toBe(2);
  expect((await sumsOf(fixture, shown)).views).toBe(1);
});

test('does not count a trailer, stops it when its stream ends, and counts the next video as a new view', async () => {
  const shown = await publishFilm(fixture);
  const page = await fixture.people.newPage();
  let beacons = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/beacons') beacons += 1;
  });
  // From here on, the page gets the state that the test sets.
  let served: PlayerState | null = null;
  await forceState(page, ({ state }) => {
    served = state;
    state.phase = { kind: 'awaiting-publisher' };
  });
  const change = (phase: PlayerPhase, source: PlayerState['source']) => Object.assign(served ?? {}, { phase, source });
  const read = () =>
    page.locator('video').evaluate(({ currentTime, loop, readyState }: HTMLVideoElement) => ({
      hasPlayed: currentTime > 1,
      ...{ loop, isOpen: readyState > 0 },
    }));
  await page.goto(`${fixture.edge.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true&autoplay=true`);
  await expect.poll(read, PATIENCE).toEqual({ hasPlayed: true, loop: true, isOpen: true });
  expect(beacons).toBe(0);
  const { source } = served as unknown as PlayerState;
  change({ kind: 'converting', percent: 62 }, null);
  await page.getByText('62%').waitFor(PATIENCE);
  await expect.poll(read, PATIENCE).toEqual({ hasPlayed: false, loop: false, isOpen: false });
  change({ kind: 'finished' }, source);
  await expect.poll(read, PATIENCE).toEqual({ hasPlayed: true, loop: false, isOpen: true });
  await expect.poll(() => beacons, PATIENCE).toBeGreaterThan(0);
  await page.close();
});

test('a stream and its recording in one page are one session, which adds to the heatmap of the recording', async () => {
  const shown = await publishFilm(fixture);
  const page = await fixture.people.newPage();
  let served: PlayerState | null = null;
  let viewing: PlayerState['viewing'] | null = null;
  await forceState(page, ({ state }) => {
    served = state;
    viewing = state.viewing;
    const { libraryId, mediaId } = shown;
    const heatless = { issuedAtMs: Date.now(), bucketSec: 1, bucketCount: 0, page: newPageName() };
    state.phase = { kind: 'live', live: { dvrSec: 0, targetLatencySec: 1.5, viewers: null } };
    state.viewing = { ...heatless, ticket: writeTicket({ libraryId, mediaId, ...heatless }, TICKET_SECRET) };
  });
  await page.goto(`${fixture.edge.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true&autoplay=false`);
  await playTo(page, 1.2);
  const renewed = page.waitForResponse((response) => response.url().includes('/state?ticket='));
  Object.assign(served ?? {}, { phase: { kind: 'finished' }, viewing });
  await page.locator('video').evaluate((video: HTMLVideoElement) => {
    video.currentTime = video.duration - 0.2;
    void video.play();
  });
  await page.getByRole('button', { name: 'Watch the recording' }).click(PATIENCE);
  expect((await renewed).status()).toBe(200);
  await playTo(page, 2.2);
  await page.close();
  await expect.poll(async () => (await heatOf(fixture, shown)).slice(0, 4)).toEqual([1, 1, 1, 0]);
  const { views, watchSec } = await sumsOf(fixture, shown);
  expect(views).toBe(1);
  // 1.2 s, 0.2 s and 2.2 s, each up to the next event of the video element.
  expect(watchSec).toBeGreaterThanOrEqual(3);
  expect(watchSec).toBeLessThanOrEqual(5);
});

test('a ticket is renewed only for its own video', async () => {
  const [shown, other] = [await publishFilm(fixture), await publishFilm(fixture)];
  const ticketOf = async ({ mediaId }: typeof shown, query = '') => {
    const answer = await fetch(`${fixture.edge.base}/embed/${fixture.libraryId}/${mediaId}/state${query}`);
    const { viewing }: PlayerState = Object(await answer.json());
    return readTicket(viewing.ticket, [TICKET_SECRET], Date.now());
  };
  const page = { libraryId: fixture.libraryId, issuedAtMs: Date.now() - 5_000, page: newPageName() };
  const asStream = { ...page, mediaId: shown.mediaId, bucketSec: 1, bucketCount: 0 };
  const query = `?ticket=${writeTicket(asStream, TICKET_SECRET)}`;
  expect(await ticketOf(shown, query)).toMatchObject({ ...page, bucketCount: 11 });
  expect((await ticketOf(other, query))?.page).not.toBe(page.page);
  expect((await ticketOf(shown, `${query}A`))?.page).not.toBe(page.page);
  // If the ticket were in the URL, all viewers who open the URL would share one session.
  const opened = await fetch(`${fixture.edge.base}/embed/${fixture.libraryId}/${shown.mediaId}${query}`);
  expect(opened.status).toBe(200);
  expect(await opened.text()).not.toContain(page.page);
});

test('does not count replayed, reordered or forged beacons, or those of crawlers', async () => {
  const shown = await publishFilm(fixture);
  const page = await openPlayer(fixture, shown, 'autoplay=false');
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/beacons')) bodies.push(request.postData() ?? '');
  });
  await playTo(page, 2.2);
  await expect.poll(() => bodies.length).toBeGreaterThan(1);
  await page.close();
  const [ticket = '', text = ''] = bodies.at(-1)?.split('\n') ?? [];
  const watchSec = JSON.parse(text).watchedSec.reduce((sum: number, sec: number) => sum + sec, 0);
  await expect.poll(() => sumsOf(fixture, shown)).toMatchObject({ views: 1, watchSec });
  const before = await sumsOf(fixture, shown);
  const heat = await heatOf(fixture, shown);
  const send = (body: string, userAgent = PERSON) =>
    fetch(`${fixture.edge.base}/beacons`, { method: 'POST', body, headers: { 'user-agent': userAgent } });
  for (const body of [...bodies, ...bodies.toReversed(), ...bodies]) await send(body);
  const other = JSON.stringify({ ...JSON.parse(text), visit: 1, sequence: 9 });
  await send(`${ticket.slice(0, -2)}AA\n${other}`);
  await send(`${ticket.replace(shown.mediaId, newGuid())}\n${other}`);
  await send(`${ticket}\n${other}`, 'Googlebot/2.1 (+http://www.google.com/bot.html)');
  await send(`${ticket}\n${other}`, '');
  const later = await publishFilm(fixture);
  const known = await openPlayer(fixture, later);
  await playTo(known, 1);
  await known.close();
  // Once this session is counted, everything sent before it has been counted.
  await expect.poll(async () => (await sumsOf(fixture, later)).views).toBe(1);
  expect(await sumsOf(fixture, shown)).toEqual(before);
  expect(await heatOf(fixture, shown)).toEqual(heat);
});

test('an outage of the database neither loses nor duplicates views', async () => {
  let isAway = true;
  const warnings = captureLog();
  const viewing = testViewing({
    async count(sessions) {
      if (isAway) throw new Error('The database is down.');
      await countSessions(fixture.database.db, sessions);
      await countSessions(fixture.database.db, sessions);
    },
  });
  const away = await fixture.edges.start({ viewing });
  const shown = await publishFilm(fixture);
  const page = await fixture.people.newPage();
  await page.goto(`${away.base}/embed/${fixture.libraryId}/${shown.mediaId}?muted=true&autoplay=false`);
  await playTo(page, 1.2);
  await page.close();
  await expect.poll(() => warnings.named('sessions.delayed').length).toBeGreaterThan(0);
  expect((await sumsOf(fixture, shown)).views).toBe(0);
  isAway = false;
  await expect.poll(async () => (await sumsOf(fixture, shown)).views).toBe(1);
  await away.close();
  expect((await sumsOf(fixture, shown)).watchSec).toBeLessThanOrEqual(3);
});

test('the page shows the most replayed part after five sessions, if the library or the URL enables it', async () => {
  const showing = await addLibrary(fixture.database.db, { player: { showHeatmap: true } });
  const heats: unknown[] = [];
  const opened = [
    { library: showing, query: '' },
    { library: fixture.libraryId, query: '' },
    { library: fixture.libraryId, query: '?showheatmap=true' },
    { library: showing, query: '?showHeatmap=0' },
  ];
  for (const { library, query } of opened) {
    const shown = await addFilm(fixture.database.db, library, fixture.film);
    await publishWholeFilm(fixture.database.db, fixture.edges.storage, fixture.film, shown);
    const of = { libraryId: library, mediaId: shown.mediaId };
    const sessions = Array.from({ length: 5 }, () => someSession(of, { heat: Buffer.from([2, 1]) }));
    await countSessions(fixture.database.db, sessions);
    const page = await (await fetch(`${fixture.edge.base}/embed/${library}/${shown.mediaId}${query}`)).text();
    const { state, stateUrl } = JSON.parse(/id="config"[^>]*>(.*)<\/script>/.exec(page)?.[1] ?? '');
    const later = await fetch(`${fixture.edge.base}${stateUrl}`);
    heats.push([state.details.heat, Object(Object(await later.json()).details).heat]);
  }
  // The film has eleven parts, of which the sessions played two.
  const shown = [100, 50, ...Array(9).fill(0)];
  const shownTwice = [shown, shown];
  expect(heats).toEqual([shownTwice, [null, null], shownTwice, [null, null]]);
});
