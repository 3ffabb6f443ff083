import { createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { addLibraryRow } from '../../../../test/support/library-row.ts';
import { addWatchedMedia, someSession } from '../../../../test/support/some-session.ts';
import { type Guid, newGuid } from '../../../lib/guid.ts';
import { createAudienceStore } from '../reports/audience-store.ts';
import { createStatisticsStore } from '../reports/statistics-store.ts';
import { dropOldSessions } from '../sessions/drop-old-sessions-store.ts';
import { HOUR_MS, type RungSec } from '../sessions/viewing-session.ts';
import { loadViewerSalt } from '../visits/viewer-salt-store.ts';
import { startupBound } from './audience-fact.ts';
import { countSessions } from './count-sessions-store.ts';
import { keepDelivered, mergeDelivered } from './delivered-store.ts';
import type { SeenSession } from './statistics-gain.ts';
import { sketchPoint } from './viewer-sketch.ts';

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

const addMedia = () => addWatchedMedia(database.db, libraryId);

function visit(mediaId: Guid, fields: Partial<SeenSession> = {}): SeenSession {
  return someSession({ libraryId, mediaId }, fields);
}

test('sessions produce the same sums by hour, day, video, library and total, in any order', async () => {
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

test('a session counts for its first network and page, even if later beacons are from others', async () => {
  const mediaId = await addMedia();
  const first = visit(mediaId);
  await countSessions(database.db, [first]);
  const moved = { country: 'FR', device: 'mobile', referrerHost: 'other.example' };
  await countSessions(database.db, [{ ...first, ...moved, sequence: 2, watchedSec: [25] }]);
  const { countryWatchTime } = await createStatisticsStore(database.db).load({ libraryId, mediaId }, RANGE);
  expect(countryWatchTime).toEqual({ DE: 25 });
  const { devices, referrers } = await createAudienceStore(database.db).load({ libraryId, mediaId }, DAY);
  expect(devices).toEqual([{ name: 'desktop', views: 1, watchSec: 25 }]);
  expect(referrers).toEqual([{ name: '', views: 1, watchSec: 25 }]);
});

test('sums sessions into viewers, devices, start-up, stalls, failures, rungs and retention', async () => {
  const mediaId = await addMedia();
  const salt = createSecretKey(Buffer.alloc(32, 1));
  const sessions = Array.from({ length: 6 }, (_, index) =>
    visit(mediaId, {
      // Each viewer has two sessions.
      viewer: sketchPoint(salt, `viewer ${index % 3}`),
      device: index < 4 ? 'mobile' : 'tv',
      referrerHost: 'shop.example',
      startupMs: index < 5 ? 100 : 2_000,
      stallMs: index === 0 ? 1_500 : 0,
      failures: index === 1 ? 2 : 0,
      rungSec: [
        ['240', 4],
        ['720', 6],
      ],
      heat: Buffer.from(index < 3 ? [2, 1] : [1]),
    }),
  );
  const statistics = createAudienceStore(database.db);
  const before = await statistics.load({ libraryId, mediaId: null }, DAY);
  for (const batch of [sessions, sessions.toReversed(), sessions]) await countSessions(database.db, batch);
  const longer: RungSec = [
    ['240', 4],
    ['720', 8],
  ];
  const later = sessions.map((session) => ({ ...session, sequence: 2, rungSec: longer }));
  await countSessions(database.db, later);
  const audience = await statistics.load({ libraryId, mediaId }, RANGE);
  expect(audience).toMatchObject({
    uniqueViewersChart: { '2026-08-20T00:00:00Z': 3 },
    viewersNow: 0,
    devices: [
      { name: 'mobile', views: 4, watchSec: 40 },
      { name: 'tv', views: 2, watchSec: 20 },
    ],
    referrers: [{ name: 'shop.example', views: 6, watchSec: 60 }],
    renditions: [
      { heightPx: 720, views: 6, watchSec: 48 },
      { heightPx: 240, views: 6, watchSec: 24 },
    ],
    startup: { measured: 6, p50Ms: startupBound(100), p95Ms: startupBound(2_000) },
    rebuffering: { views: 1, seconds: 2 },
    failures: { views: 1, count: 2 },
    retention: [100, 50, ...Array(18).fill(0)],
  });
  const library = await statistics.load({ libraryId, mediaId: null }, RANGE);
  const day = '2026-08-20T00:00:00Z';
  expect((library.uniqueViewersChart[day] ?? 0) - (before.uniqueViewersChart[day] ?? 0)).toBe(3);
  expect(library.failures.count - before.failures.count).toBe(2);
  expect(library.retention).toBeNull();
});

test('sessions of other players are summed separately, and count in the charts only if configured', async () => {
  const mediaId = await addMedia();
  const estimate = () => visit(mediaId, { isEstimate: true, watchedSec: [40], heat: Buffer.alloc(0) });
  await countSessions(database.db, [estimate()]);
  await countSessions(database.db, [estimate()], { countsEstimates: true });
  const key = '2026-08-20T10:00:00Z';
  const { viewsChart, watchTimeChart } = await createStatisticsStore(database.db).load({ libraryId, mediaId }, RANGE);
  expect([viewsChart[key], watchTimeChart[key]]).toEqual([1, 40]);
  const { estimated, devices } = await createAudienceStore(database.db).load({ libraryId, mediaId }, RANGE);
  expect([estimated.viewsChart[key], estimated.watchTimeChart[key], devices]).toEqual([2, 80, []]);
  const media = database.db.selectFrom('media').select(['views', 'watch_sec_total']).where('id', '=', mediaId);
  expect(await media.executeTakeFirst()).toEqual({ views: 1, watch_sec_total: 40 });
});

test('sessions are deleted by whole days after their retention, but their sums remain', async () => {
  const mediaId = await addMedia();
  const oldDay = START - 40 * 24 * HOUR_MS;
  await countSessions(database.db, [visit(mediaId), visit(mediaId, { startHourMs: oldDay })]);
  await loadViewerSalt(database.db, oldDay, oldDay);
  const range = { ...DAY, fromMs: oldDay - 10 * HOUR_MS };
  const sums = () => createStatisticsStore(database.db).load({ libraryId, mediaId }, range);
  const before = await sums();
  const { signal } = new AbortController();
  const limit = { days: 40, nowMs: START + 14 * HOUR_MS };
  expect(await dropOldSessions(database.db, limit, signal)).toEqual(['view_session_2026_07_11']);
  expect(await dropOldSessions(database.db, limit, signal)).toEqual([]);
  const left = database.db.selectFrom('view_session').select('start_hour').where('media_id', '=', mediaId);
  expect(await left.execute()).toEqual([{ start_hour: new Date(START) }]);
  expect(await sums()).toEqual(before);
  expect(await loadViewerSalt(database.db, oldDay, START)).toBeNull();
});

test('counts each session once if several edges count it simultaneously', async () => {
  const mediaId = await addMedia();
  const sessions = Array.from({ length: 40 }, () => visit(mediaId));
  await Promise.all([0, 1, 2].map((edge) => countSessions(database.db, edge === 1 ? sessions.toReversed() : sessions)));
  const later = [2, 3, 4].map((sequence) =>
    sessions.map((session) => ({ ...session, sequence, watchedSec: [10 * sequence] })),
  );
  await Promise.all(later.map((batch) => countSessions(database.db, batch)));
  const { viewsChart, watchTimeChart } = await createStatisticsStore(database.db).load({ libraryId, mediaId }, RANGE);
  expect(viewsChart['2026-08-20T10:00:00Z']).toBe(40);
  expect(watchTimeChart['2026-08-20T10:00:00Z']).toBe(40 * 40);
});

test('ignores sessions of a deleted video, and keeps its history in the library', async () => {
  const mediaId = await addMedia();
  await countSessions(database.db, [visit(mediaId)]);
  const statistics = createStatisticsStore(database.db);
  const before = await statistics.load({ libraryId, mediaId: null }, RANGE);
  await database.db.deleteFrom('media').where('id', '=', mediaId).execute();
  await countSessions(database.db, [visit(mediaId)]);
  expect(await statistics.load({ libraryId, mediaId: null }, RANGE)).toEqual(before);
});

test('counts the bytes of each edge once and adds up several edges', async () => {
  const mediaId = await addMedia();
  const [first, second] = [newGuid(), newGuid()];
  const total = (bytes: number) => [{ libraryId, mediaId, hourMs: START, bytes }];
  await keepDelivered(database.db, first, total(700));
  await keepDelivered(database.db, first, total(500));
  await keepDelivered(database.db, second, total(30));
  const sent = async () => {
    const { bytesChart } = await createAudienceStore(database.db).load({ libraryId, mediaId }, RANGE);
    return bytesChart['2026-08-20T10:00:00Z'];
  };
  expect(await sent()).toBe(730);
  await mergeDelivered(database.db);
  await mergeDelivered(database.db);
  expect(await sent()).toBe(730);
});

test('a continuing session is updated in its database page, without new index entries', async () => {
  const mediaId = await addMedia();
  const startHourMs = START + 5 * 24 * HOUR_MS;
  const begun = Array.from({ length: 200 }, () => visit(mediaId, { startHourMs }));
  await countSessions(database.db, begun);
  await countSessions(
    database.db,
    begun.map((session) => ({ ...session, sequence: session.sequence + 1, watchedSec: [20] })),
  );
  const updates = async () => {
    const { rows } = await sql<{ all: number; hot: number }>`
      select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables
      where relname = 'view_session_2026_08_25'`.execute(database.db);
    return rows[0] ?? { all: 0, hot: 0 };
  };
  await expect.poll(async () => (await updates()).all).toBe(200);
  expect((await updates()).hot).toBeGreaterThan(180);
});

test('five or more sessions produce a heatmap with a peak of 100, without unplayed parts', async () => {
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

test('a heatmap ignores beacons for a different duration, and restarts when the duration changes', async () => {
  const mediaId = await addMedia();
  const statistics = createStatisticsStore(database.db);
  const heatmap = () => statistics.heatmap({ libraryId, mediaId });
  const five = (fields: Partial<SeenSession>) => Array.from({ length: 5 }, () => visit(mediaId, fields));
  await countSessions(database.db, five({ heat: Buffer.from([1, 2]) }));
  // One page was opened before the length was known, and one assumed a longer length.
  await countSessions(database.db, five({ heat: Buffer.alloc(0) }));
  await countSessions(database.db, five({ bucketSec: 12, heat: Buffer.from([9]) }));
  expect(await heatmap()).toEqual({ 0: 50, 1: 100 });
  const { retention } = await createAudienceStore(database.db).load({ libraryId, mediaId }, DAY);
  expect(retention?.slice(0, 3)).toEqual([100, 100, 0]);
  await database.db.updateTable('media').set({ duration_ms: 1_200_000 }).where('id', '=', mediaId).execute();
  await countSessions(database.db, five({ bucketSec: 2, heat: Buffer.from([0, 1]) }));
  expect(await heatmap()).toEqual({ 2: 100, 3: 100 });
});

test('lists the hundred referrers with the most views', async () => {
  const mediaId = await addMedia();
  await sql`insert into stat_day (library_id, media_id, day, kind, value, sessions, amount)
    select ${libraryId}, ${mediaId}, '2026-08-20', kind, n::text, n, 1
    from generate_series(1, 150) n, unnest('{referrer,startup}'::text[]) kind`.execute(database.db);
  const { referrers, startup } = await createAudienceStore(database.db).load({ libraryId, mediaId }, DAY);
  expect(referrers.map(({ views }) => views)).toEqual(Array.from({ length: 100 }, (_, index) => 150 - index));
  expect(startup.measured).toBe((150 * 151) / 2);
});
