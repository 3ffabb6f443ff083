import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { addLibraryRow } from '../../../../test/support/library-row.ts';
import { addWatchedMedia, someSession } from '../../../../test/support/some-session.ts';
import type { Guid } from '../../../lib/guid.ts';
import { HOUR_MS } from '../sessions/viewing-session.ts';
import { countSessions } from '../sums/count-sessions-store.ts';
import { createAudienceStore } from './audience-store.ts';
import { createStatisticsStore } from './statistics-store.ts';

const MIDNIGHT = Date.parse('2026-08-20T00:00:00Z');
const DAYS = { fromMs: MIDNIGHT, toMs: MIDNIGHT + 48 * HOUR_MS };
let database: TestDatabase;
let libraryId: number;

beforeAll(async () => {
  database = await startTestDatabase();
  libraryId = await addLibraryRow(database.db);
});
afterAll(() => database.stop());

const addMedia = () => addWatchedMedia(database.db, libraryId);

/** Returns charts and countries of a range whose buckets are `stepMs` long, with the charts summed by day. */
async function sumsOf(mediaId: Guid | null, stepMs: number) {
  const of = { libraryId, mediaId };
  const charts = await createStatisticsStore(database.db).load(of, { ...DAYS, stepMs });
  const { estimated } = await createAudienceStore(database.db).load(of, { ...DAYS, stepMs });
  const byDay = (chart: Record<string, number>) => {
    const days: Record<string, number> = {};
    for (const [key, value] of Object.entries(chart)) days[key.slice(0, 10)] = (days[key.slice(0, 10)] ?? 0) + value;
    return days;
  };
  return {
    charts: [charts.viewsChart, charts.watchTimeChart, estimated.viewsChart, estimated.watchTimeChart].map(byDay),
    countries: [charts.countryViewCounts, charts.countryWatchTime],
  };
}

test.each([false, true])('daily sums match hourly sums, with estimates in the charts: %s', async (counts) => {
  const mediaId = await addMedia();
  // Starts late in the day, so that some time is watched on the next day.
  const sessions = Array.from({ length: 12 }, (_, index) => {
    const country = ['DE', 'FR', ''][index % 3] ?? '';
    const fields = { startHourMs: MIDNIGHT + (22 + (index % 2)) * HOUR_MS, country, isEstimate: index % 4 === 0 };
    return someSession({ libraryId, mediaId }, fields);
  });
  const later = sessions.map((session, index) => ({ ...session, sequence: 9, watchedSec: [40, index, 3] }));
  for (const batch of [sessions, later, sessions, later]) {
    await countSessions(database.db, batch, { countsEstimates: counts });
  }
  const ofVideo = await sumsOf(mediaId, HOUR_MS);
  expect(ofVideo.charts[0]).toEqual({ '2026-08-20': counts ? 12 : 9, '2026-08-21': 0 });
  expect(ofVideo.charts[2]).toEqual({ '2026-08-20': 3, '2026-08-21': 0 });
  expect(Object.values(ofVideo.charts[1] ?? {}).every((sec) => sec > 0)).toBe(true);
  const ofLibrary = await sumsOf(null, HOUR_MS);
  expect(await sumsOf(mediaId, 24 * HOUR_MS)).toEqual(ofVideo);
  expect(await sumsOf(null, 24 * HOUR_MS)).toEqual(ofLibrary);
});
