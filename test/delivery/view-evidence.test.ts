import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudienceStore } from '../../src/catalog/statistics/reports/audience-store.ts';
import { HOUR_MS } from '../../src/catalog/statistics/sessions/viewing-session.ts';
import { newPageName, writeTicket } from '../../src/catalog/statistics/sessions/viewing-ticket.ts';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import { keepDeliveries } from '../../src/catalog/statistics/sums/view-evidence-store.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { TICKET_SECRET, testViewing } from '../support/viewing.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture, type TestEdge } from './start-test-edge.ts';

const PERSON = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';
const OTHER_PERSON = PERSON.replace('140', '141');

let database: TestDatabase;
let fixture: EdgeFixture;
let film: Film;
let libraryId: number;

beforeAll(async () => {
  [database, film] = await Promise.all([startTestDatabase(), makeFilm(240, [180])]);
  fixture = await createEdgeFixture(database);
  libraryId = await addLibrary(database.db);
});
afterAll(async () => {
  await fixture.close();
  await database.stop();
});

async function publishFilm(): Promise<PublishedFilm> {
  const shown = await addFilm(database.db, libraryId, film);
  await publishWholeFilm(database.db, fixture.storage, film, shown);
  return shown;
}

/** Opens an edge over the database. Closing it decides all sessions that it holds. */
function openEdge(countsByRate = false): Promise<TestEdge> {
  return fixture.start({
    trustedProxies: ['127.0.0.1'],
    viewing: testViewing({
      count: (sessions) => countSessions(database.db, sessions, { countsEstimates: false, countsByRate }),
      keepDeliveries: (deliveries) => keepDeliveries(database.db, deliveries),
      countsByRate,
    }),
  });
}

type From = { address: string; userAgent?: string };

function headersOf({ address, userAgent = PERSON }: From): Record<string, string> {
  return { 'User-Agent': userAgent, 'X-Forwarded-For': address };
}

/** Sends a beacon of a page that was opened `openSec` ago and claims `watchedSec`. */
async function claim(
  edge: TestEdge,
  { mediaId }: PublishedFilm,
  { from, watchedSec, openSec = 60, page = newPageName() }: ClaimOf,
): Promise<void> {
  const nowMs = Date.now();
  // The claim covers a single hour: a page opened in an earlier hour would have to split its seconds.
  const issuedAtMs = Math.max(nowMs - openSec * 1000, Math.floor(nowMs / HOUR_MS) * HOUR_MS);
  const ticket = { libraryId, mediaId, issuedAtMs, bucketSec: 1, bucketCount: 11, page };
  const totals = { visit: 0, sequence: 1, startedMs: 0, watchedSec: [watchedSec], heat: 'AQE', rungSec: { 180: 2 } };
  const counts = { startupMs: 400, stallCount: 0, stallMs: 0, failures: 0, page: '' };
  const body = `${writeTicket(ticket, TICKET_SECRET)}\n${JSON.stringify({ ...totals, ...counts })}`;
  const { status } = await fetch(`${edge.base}/beacons`, { method: 'POST', body, headers: headersOf(from) });
  expect(status).toBe(204);
}

type ClaimOf = { from: From; watchedSec: number; openSec?: number; page?: string };

type Fetching = { from: From; segments?: number[]; range?: string; method?: string };

async function fetchMedia(
  edge: TestEdge,
  shown: PublishedFilm,
  { from, segments = [0, 1, 2], range, method = 'GET' }: Fetching,
): Promise<void> {
  const folder = `${edge.base}/vz-${libraryId}/${shown.mediaId}/r/${shown.videos[0]?.renditionId}`;
  const referer = `${edge.base}/embed/${libraryId}/${shown.mediaId}`;
  const headers = { ...headersOf(from), Referer: referer, ...(range === undefined ? {} : { Range: range }) };
  for (const segment of segments) {
    await (await fetch(`${folder}/${segment}.m4s`, { method, headers })).arrayBuffer();
  }
}

async function countedOf({ mediaId }: PublishedFilm) {
  const media = database.db.selectFrom('media').select(['views', 'watch_sec_total as watchSec']);
  const totals = await media.where('id', '=', mediaId).executeTakeFirstOrThrow();
  const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const range = { fromMs: hourMs - HOUR_MS, toMs: hourMs + 2 * HOUR_MS, stepMs: HOUR_MS };
  const audience = await createAudienceStore(database.db).load({ libraryId, mediaId }, range);
  const { discarded, viewersNow, devices } = audience;
  return { ...totals, discarded, viewersNow, devices: devices.reduce((sum, { views }) => sum + views, 0) };
}

test('records views and watch time that are claimed without media only as discarded', async () => {
  const [shown, edge] = [await publishFilm(), await openEdge()];
  const from = { address: '192.0.2.1' };
  // HEAD requests, the first byte and 404 responses are not media.
  await fetchMedia(edge, shown, { from, method: 'HEAD' });
  await fetchMedia(edge, shown, { from, segments: [900] });
  const claims = Array.from({ length: 300 }, () => claim(edge, shown, { from, watchedSec: 5 }));
  await Promise.all(claims);
  await edge.close();
  expect(await countedOf(shown)).toEqual({
    ...{ views: 0, watchSec: 0, viewersNow: 0, devices: 0 },
    discarded: { views: 300, watchSec: 1500 },
  });
  const heat = database.db.selectFrom('media_heat').select('sessions').where('media_id', '=', shown.mediaId);
  expect(await heat.execute()).toEqual([]);
});

test('counts many beacons of one delivery as one view, and its duration as the maximum watch time', async () => {
  const [shown, edge] = [await publishFilm(), await openEdge()];
  const from = { address: '192.0.2.2' };
  await fetchMedia(edge, shown, { from });
  await Promise.all(Array.from({ length: 300 }, () => claim(edge, shown, { from, watchedSec: 5 })));
  await edge.close();
  const { views, watchSec, discarded, devices } = await countedOf(shown);
  expect([views, devices]).toEqual([1, 1]);
  // Maximum: the time since the first delivery, a few seconds for the start, and 10 s of media.
  expect(watchSec).toBeGreaterThan(0);
  expect(watchSec).toBeLessThanOrEqual(10);
  expect(discarded).toEqual({ views: 299, watchSec: 1500 - watchSec });
});

test('counts the same viewer again after half an hour without requests', async () => {
  const shown = await publishFilm();
  const from = { address: '192.0.2.3' };
  for (const views of [1, 2]) {
    const edge = await openEdge();
    await fetchMedia(edge, shown, { from });
    await claim(edge, shown, { from, watchedSec: 2 });
    await edge.close();
    expect((await countedOf(shown)).views).toBe(views);
    await database.db
      .updateTable('view_evidence')
      .set(({ eb }) => ({ window_ms: eb('window_ms', '-', 31 * 60_000) }))
      .execute();
  }
});

test('each address, each browser and each delivery behind one address is a separate viewer', async () => {
  const [shown, edge] = [await publishFilm(), await openEdge()];
  const viewers = [
    { address: '192.0.2.4' },
    { address: '192.0.2.5' },
    { address: '192.0.2.5', userAgent: OTHER_PERSON },
    // Another viewer with the same browser, who gets the segments again.
    { address: '192.0.2.5', userAgent: OTHER_PERSON },
    { address: '2001:db8::1' },
  ];
  for (const from of viewers) {
    await fetchMedia(edge, shown, { from });
    await claim(edge, shown, { from, watchedSec: 2 });
  }
  // Claims from another viewer's network, and from a client that received nothing.
  await claim(edge, shown, { from: { address: '2001:db8::2' }, watchedSec: 2 });
  await claim(edge, shown, { from: { address: '192.0.2.6' }, watchedSec: 2 });
  await edge.close();
  expect(await countedOf(shown)).toMatchObject({ views: 5, discarded: { views: 2 } });
});

test('segments that one edge delivered are evidence for beacons that another edge receives', async () => {
  const shown = await publishFilm();
  const [delivering, counting] = await Promise.all([openEdge(), openEdge()]);
  const from = { address: '192.0.2.7' };
  // The beacon is sent first: it waits for the records of the other edge.
  await claim(counting, shown, { from, watchedSec: 3 });
  await fetchMedia(delivering, shown, { from });
  await expect.poll(async () => (await countedOf(shown)).views, { timeout: 15_000 }).toBe(1);
  await Promise.all([delivering.close(), counting.close()]);
  expect(await countedOf(shown)).toMatchObject({ watchSec: 3, discarded: { views: 0, watchSec: 0 } });
});

test('only the part of an aborted segment that was sent is evidence', async () => {
  const [shown, edge] = [await publishFilm(), await openEdge()];
  const from = { address: '192.0.2.8' };
  await fetchMedia(edge, shown, { from, segments: [0], range: 'bytes=0-0' });
  await claim(edge, shown, { from, watchedSec: 9 });
  await edge.close();
  expect((await countedOf(shown)).watchSec).toBeLessThanOrEqual(1);
});

test('behind a CDN, counts an address once in half an hour, with the elapsed time as watch time', async () => {
  const [shown, edge] = [await publishFilm(), await openEdge(true)];
  const agents = [PERSON, OTHER_PERSON, PERSON.replace('140', '142')];
  for (const userAgent of agents) {
    await claim(edge, shown, { from: { address: '192.0.2.9', userAgent }, watchedSec: 4 });
  }
  await claim(edge, shown, { from: { address: '192.0.2.10' }, watchedSec: 4 });
  await edge.close();
  const { views, watchSec, discarded } = await countedOf(shown);
  expect([views, discarded.views]).toEqual([2, 2]);
  expect(watchSec).toBeGreaterThanOrEqual(8);
  expect(watchSec).toBeLessThan(16);
});

test('counts a different player at two edges as one estimated view', async () => {
  const shown = await publishFilm();
  const edges = await Promise.all([openEdge(), openEdge()]);
  const folder = `vz-${libraryId}/${shown.mediaId}/r/${shown.videos[0]?.renditionId}`;
  const headers = headersOf({ address: '192.0.2.11', userAgent: 'VLC/3.0.20 LibVLC/3.0.20' });
  for (const edge of edges) {
    for (const segment of [0, 1])
      await (await fetch(`${edge.base}/${folder}/${segment}.m4s`, { headers })).arrayBuffer();
    await edge.close();
  }
  const rows = database.db.selectFrom('stat_hour').select(['estimated_views', 'views']);
  expect(await rows.where('media_id', '=', shown.mediaId).execute()).toEqual([{ estimated_views: 1, views: 0 }]);
});
