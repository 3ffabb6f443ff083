import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { addLibraryRow } from '../../../test/support/library-row.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { SeenSession } from './statistics-gain.ts';
import { createStatisticsStore } from './statistics-store.ts';
import { HOUR_MS } from './viewing-session.ts';
import { countSessions } from './viewing-session-store.ts';

const START = Date.parse('2026-08-20T10:00:00Z');
const RANGE = { fromMs: START, toMs: START + 2 * HOUR_MS, stepMs: HOUR_MS };
const DAY = { fromMs: START - 10 * HOUR_MS, toMs: START + 14 * HOUR_MS, stepMs: 24 * HOUR_MS };
let database: TestDatabase;
let libraryId: number;

beforeAll(async () => {
  database = await startTestDatabase();
  libraryId = await addLibraryRow(database.db);
});
afterAll(() => database.stop());

async function addMedia(): Promise<Guid> {
  const id = newGuid();
  const media = { library_id: libraryId, id, type: 'video' as const, title: 'Film', state: 'finished' as const };
  await database.db
    .insertInto('media')
    .values({ ...media, duration_ms: 20_000 })
    .execute();
  return id;
}

function visit(mediaId: Guid, fields: Partial<SeenSession> = {}): SeenSession {
  const counts = { startupMs: 200, stallCount: 0, stallMs: 0, failures: 0 };
  return {
    ...{ libraryId, mediaId, sessionId: newGuid(), startHourMs: START, sequence: 1, watchedSec: [10] },
    ...{ bucketSec: 1, heat: Buffer.from([1, 1]), country: 'DE', device: 'desktop', referrerHost: '', ...counts },
    ...fields,
  };
}

describe('sessions that are counted', () => {
  test('give the same sums by hour, day, video, library and total, however often and in whatever order they come', async () => {
    const mediaId = await addMedia();
    const statistics = createStatisticsStore(database.db);
    const before = await statistics.load({ libraryId, mediaId: null }, RANGE);
    const first = visit(mediaId);
    const later = { ...first, sequence: 3, watchedSec: [30, 5], heat: Buffer.from([1, 2, 1]) };
    for (const session of [first, first, later, { ...first, sequence: 2, watchedSec: [20] }, later]) {
      await countSessions(database.db, [session]);
    }
    await countSessions(database.db, [visit(mediaId, { country: '' }), visit(mediaId, { country: 'FR' })]);
    const hourly = await statistics.load({ libraryId, mediaId }, RANGE);
    expect(hourly.viewsChart).toEqual({ '2026-08-20T10:00:00Z': 3, '2026-08-20T11:00:00Z': 0 });
    expect(hourly.watchTimeChart).toEqual({ '2026-08-20T10:00:00Z': 50, '2026-08-20T11:00:00Z': 5 });
    expect(hourly.countryViewCounts).toEqual({ DE: 1, FR: 1 });
    expect(hourly.countryWatchTime).toEqual({ DE: 35, FR: 10 });
    const daily = await statistics.load({ libraryId, mediaId }, DAY);
    expect([daily.viewsChart, daily.watchTimeChart]).toEqual([
      { '2026-08-20T00:00:00Z': 3 },
      { '2026-08-20T00:00:00Z': 55 },
    ]);
    const library = await statistics.load({ libraryId, mediaId: null }, RANGE);
    const gained = (chart: 'viewsChart' | 'watchTimeChart', key: string) =>
      (library[chart][key] ?? 0) - (before[chart][key] ?? 0);
    expect(gained('viewsChart', '2026-08-20T10:00:00Z')).toBe(3);
    expect(gained('watchTimeChart', '2026-08-20T11:00:00Z')).toBe(5);
    const total = await database.db.selectFrom('media').select(['views', 'watch_sec_total']).where('id', '=', mediaId);
    expect(await total.executeTakeFirst()).toEqual({ views: 3, watch_sec_total: 55 });
  });

  test('of two edges at once count once each', async () => {
    const mediaId = await addMedia();
    const sessions = Array.from({ length: 40 }, () => visit(mediaId));
    await Promise.all(
      [0, 1, 2].map((edge) => countSessions(database.db, edge === 1 ? sessions.toReversed() : sessions)),
    );
    const { viewsChart } = await createStatisticsStore(database.db).load({ libraryId, mediaId }, RANGE);
    expect(viewsChart['2026-08-20T10:00:00Z']).toBe(40);
  });

  test('of a video that is gone change nothing, and its history in the library stays', async () => {
    const mediaId = await addMedia();
    await countSessions(database.db, [visit(mediaId)]);
    const statistics = createStatisticsStore(database.db);
    const before = await statistics.load({ libraryId, mediaId: null }, RANGE);
    await database.db.deleteFrom('media').where('id', '=', mediaId).execute();
    await countSessions(database.db, [visit(mediaId)]);
    expect(await statistics.load({ libraryId, mediaId: null }, RANGE)).toEqual(before);
  });

  test('make heat from five sessions on, its peak 100 and what nobody played left out', async () => {
    const mediaId = await addMedia();
    const statistics = createStatisticsStore(database.db);
    const sessions = Array.from({ length: 5 }, (_, index) =>
      visit(mediaId, { heat: Buffer.from([1, 0, index < 2 ? 1 : 0, 2]) }),
    );
    await countSessions(database.db, sessions.slice(0, 4));
    expect(await statistics.heatmap({ libraryId, mediaId })).toBeNull();
    await countSessions(database.db, sessions);
    expect(await statistics.heatmap({ libraryId, mediaId })).toEqual({ 0: 50, 2: 20, 3: 100 });
    const { engagementScore } = await statistics.load({ libraryId, mediaId }, RANGE);
    expect(engagementScore).toBe(50);
  });
});
