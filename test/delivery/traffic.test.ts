import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAudienceStore } from '../../src/catalog/statistics/reports/audience-store.ts';
import { HOUR_MS } from '../../src/catalog/statistics/sessions/viewing-session.ts';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import { keepDelivered } from '../../src/catalog/statistics/sums/delivered-store.ts';
import { keepDeliveries } from '../../src/catalog/statistics/sums/view-evidence-store.ts';
import { newGuid } from '../../src/lib/guid.ts';
import { startTestDatabase, type TestDatabase } from '../support/database.ts';
import { testViewing } from '../support/viewing.ts';
import { type Film, makeFilm } from './make-film.ts';
import { addFilm, addLibrary, type PublishedFilm, publishWholeFilm } from './publish.ts';
import { createEdgeFixture, type EdgeFixture } from './start-test-edge.ts';

const PERSON = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36' };

let database: TestDatabase;
let fixture: EdgeFixture;
let film: Film;
let libraryId: number;

beforeAll(async () => {
  // Video segments large enough for sendfile, and audio that is sent from memory.
  [database, film] = await Promise.all([startTestDatabase(), makeFilm(240, [720])]);
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

/** Opens an edge over the database. Closing it writes its counts. */
function openEdge() {
  const writer = newGuid();
  return fixture.start({
    viewing: testViewing({
      count: (sessions) => countSessions(database.db, sessions),
      keepDeliveries: (deliveries) => keepDeliveries(database.db, deliveries),
      keepDelivered: (totals) => keepDelivered(database.db, writer, totals),
    }),
  });
}

async function audienceOf({ mediaId }: PublishedFilm) {
  const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const range = { fromMs: hourMs - HOUR_MS, toMs: hourMs + 2 * HOUR_MS, stepMs: HOUR_MS };
  const { estimated, bytesChart } = await createAudienceStore(database.db).load({ libraryId, mediaId }, range);
  const sum = (chart: Record<string, number>) => Object.values(chart).reduce((all, value) => all + value, 0);
  return {
    views: sum(estimated.viewsChart),
    watchSec: sum(estimated.watchTimeChart),
    bytes: sum(bytesChart),
  };
}

test('counts bytes sent by sendfile, from memory and in ranges, including response heads', async () => {
  const shown = await publishFilm();
  const edge = await openEdge();
  const folder = `${edge.base}/vz-${libraryId}/${shown.mediaId}/r`;
  const urls = [shown.videos[0], shown.audio].flatMap((rendition) =>
    [0, 1].map((segment) => `${folder}/${rendition?.renditionId}/${segment}.m4s`),
  );
  let received = 0;
  for (const url of [...urls, ...urls]) received += (await (await fetch(url)).arrayBuffer()).byteLength;
  const part = await fetch(urls[0] ?? '', { headers: { Range: 'bytes=100-1099' } });
  received += (await part.arrayBuffer()).byteLength;
  await edge.close();
  const { bytes } = await audienceOf(shown);
  expect(bytes).toBeGreaterThan(received);
  expect(bytes).toBeLessThan(received + 9 * 2_000);
});

test('estimates views in other players from their segment requests, and excludes crawlers', async () => {
  const [watched, ours, crawled, looked] = await Promise.all([0, 1, 2, 3].map(publishFilm));
  // Another page of the same origin is not our player.
  const embedded = await publishFilm();
  const edge = await openEdge();
  const request = async (shown: PublishedFilm | undefined, segments: number[], headers: Record<string, string>) => {
    const folder = `${edge.base}/vz-${libraryId}/${shown?.mediaId}/r`;
    const renditions = [shown?.videos[0]?.renditionId, shown?.audio.renditionId];
    for (const segment of segments) {
      for (const id of renditions) await (await fetch(`${folder}/${id}/${segment}.m4s`, { headers })).arrayBuffer();
    }
  };
  const vlc = { 'User-Agent': 'VLC/3.0.20 LibVLC/3.0.20' };
  // Requests some segments twice, like a player that seeks back.
  await request(watched, [0, 1, 2, 0, 1], vlc);
  await request(watched, [0, 1], { 'User-Agent': 'AppleCoreMedia/1.0.0.21A329 (iPhone)' });
  await request(ours, [0, 1, 2], { ...vlc, Referer: `${edge.base}/embed/${libraryId}/${ours?.mediaId}` });
  await request(ours, [0, 1, 2], { ...PERSON, 'Sec-Fetch-Site': 'same-origin' });
  await request(embedded, [0, 1], { ...PERSON, 'Sec-Fetch-Site': 'same-origin', Referer: `${edge.base}/film` });
  await request(embedded, [0, 1], { ...vlc, 'Sec-Fetch-Site': 'cross-site' });
  await request(crawled, [0, 1, 2], { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' });
  await request(looked, [1], vlc);
  await edge.close();
  const found = await Promise.all([watched, ours, crawled, looked].map((shown) => shown && audienceOf(shown)));
  expect(found.map((audience) => audience?.views)).toEqual([2, 0, 0, 0]);
  expect((await audienceOf(embedded)).views).toBe(2);
  // The requests take only a moment. The watch time is at most the elapsed time and one segment.
  expect(found[0]?.watchSec).toBeGreaterThan(0);
  expect(found[0]?.watchSec).toBeLessThanOrEqual(2 * 10);
  const media = database.db.selectFrom('media').select(['views', 'watch_sec_total']);
  expect(await media.where('library_id', '=', libraryId).distinct().execute()).toEqual([
    { views: 0, watch_sec_total: 0 },
  ]);
});
