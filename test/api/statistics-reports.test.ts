import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureStorage } from '../../src/catalog/quotas/month-store.ts';
import { MAX_EXAMINED } from '../../src/catalog/statistics/reports/quality-store.ts';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import { keepDelivered } from '../../src/catalog/statistics/sums/delivered-store.ts';
import type { SeenSession } from '../../src/catalog/statistics/sums/statistics-gain.ts';
import { WHOLE_LIBRARY } from '../../src/catalog/statistics/sums/whole-library.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { addWatchedMedia, someSession } from '../support/some-session.ts';

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const nowHourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

let api: TestApi;
let film: Guid;
let foreign: Guid;

beforeAll(async () => {
  api = await startTestApi();
  const { db } = api.database;
  [film, foreign] = await Promise.all([addWatchedMedia(db, 1), addWatchedMedia(db, api.second.id)]);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const read = async (path: string, key = api.first.libraryKey) => {
  const id = key === api.second.key ? api.second.id : 1;
  const { status, body } = await api.call('GET', `/library/${id}/statistics/${path}`, { key });
  return { status, body: Object(body) };
};

test('quality by group is exact while several edges write two libraries', async () => {
  const visits: Partial<SeenSession>[] = [
    {
      country: 'DE',
      startupMs: 100,
      rungSec: [
        ['720', 9],
        ['240', 1],
      ],
      watchedSec: [10],
    },
    {
      country: 'DE',
      startupMs: 300,
      rungSec: [
        ['720', 6],
        ['1080', 4],
      ],
      stallMs: 1500,
      stallCount: 2,
      watchedSec: [10],
    },
    { country: 'FR', startupMs: 900, rungSec: [['240', 5]], failures: 3, device: 'mobile', watchedSec: [5, 1] },
    { country: '', startupMs: null, rungSec: [] },
    // Other players, visits that are not views, and older visits do not count.
    { country: 'US', isEstimate: true },
    { country: 'US', verdict: 'repeated', viewerId: newGuid() },
    { country: 'US', startHourMs: nowHourMs - 40 * DAY_MS },
  ];
  const sessions = visits.map((fields) => {
    return someSession({ libraryId: 1, mediaId: film }, { startHourMs: nowHourMs, ...fields });
  });
  const theirs = someSession({ libraryId: api.second.id, mediaId: foreign }, { startHourMs: nowHourMs, country: 'JP' });
  const batches = [sessions.slice(0, 3), [...sessions.slice(2), theirs], sessions, [theirs]];
  await Promise.all(batches.map((batch) => countSessions(api.database.db, batch)));
  const { body } = await read('quality');
  const of = (rows: object[]) => rows.map((row) => Object.values(row));
  expect(of(body.countries)).toEqual([
    ['DE', 2, 20, 100, 300, 1, 2, 0],
    ['', 1, 10, null, null, 0, 0, 0],
    ['FR', 1, 6, 900, 900, 0, 0, 1],
  ]);
  expect(of(body.devices)).toEqual([
    ['desktop', 3, 30, 100, 300, 1, 2, 0],
    ['mobile', 1, 6, 900, 900, 0, 0, 1],
  ]);
  // A view belongs to the resolution that it showed longest.
  expect(of(body.renditions)).toEqual([
    [720, 2, 20, 100, 300, 1, 2, 0],
    [240, 1, 6, 900, 900, 0, 0, 1],
  ]);
  expect(body).toMatchObject({ views: 4, isLimited: false, videos: [{ guid: film, title: 'Film', views: 4 }] });
  expect((await read(`quality?videoGuid=${film}`)).body).toMatchObject({ views: 4, videos: [] });
  expect((await read('quality', api.second.key)).body).toMatchObject({ views: 1, countries: [{ name: 'JP' }] });
  const old = new Date(nowHourMs - 50 * DAY_MS).toISOString();
  expect((await read(`quality?dateFrom=${old}`)).body.views).toBe(5);
});

test.each(['quality?foreign', 'quality?videoGuid=junk', 'usage?months=0', 'usage?months=37', 'usage?months=x'])(
  'refuses what does not exist or is out of range: %s',
  async (path) => {
    const other = path === 'quality?foreign' ? `quality?videoGuid=${foreign}` : path;
    expect((await read(other)).status).toBe(path.startsWith('quality') ? 404 : 400);
  },
);

test('quality of more views than the limit is that of the newest ones, and marked as limited', async () => {
  const { db } = api.database;
  const mediaId = await addWatchedMedia(db, 1);
  await countSessions(db, [someSession({ libraryId: 1, mediaId }, { startHourMs: nowHourMs, country: 'NZ' })]);
  await sql`
    insert into view_session (start_hour, session_id, library_id, media_id, sequence, country, device)
    select ${new Date(nowHourMs - HOUR_MS * (nowHourMs % DAY_MS === 0 ? 0 : 1))}, gen_random_uuid(), 1,
      ${mediaId}::uuid, 1, 'NO', 'tv'
    from generate_series(1, ${MAX_EXAMINED}::int)`.execute(db);
  const { body } = await read(`quality?videoGuid=${mediaId}`);
  expect(body).toMatchObject({ views: MAX_EXAMINED, isLimited: true });
  expect(body.countries[0]).toMatchObject({ name: 'NO', views: MAX_EXAMINED - 1 });
  await db.deleteFrom('view_session').where('media_id', '=', mediaId).execute();
});

test('usage by month counts each library separately, and measures storage again without doubling it', async () => {
  const { db } = api.database;
  await db.updateTable('media').set({ storage_bytes: 5_000 }).where('id', '=', film).execute();
  await db.updateTable('media').set({ storage_bytes: 70 }).where('id', '=', foreign).execute();
  const month = (ago: number) => sql<string>`(date_trunc('month', now() at time zone 'UTC')
    - make_interval(months => ${ago}))::date`;
  await sql`insert into storage_month (library_id, month, stored_bytes) values (1, ${month(2)}, 3000)`.execute(db);
  await sql`insert into encoded_month values (1, ${month(0)}, 1, 60000), (1, ${month(0)}, 2, 30000),
    (1, ${month(1)}, 0, 120000), (${api.second.id}, ${month(0)}, 0, 600000)`.execute(db);
  const { rows } = await sql<{ at: Date }>`select (${month(1)})::timestamp at time zone 'UTC' as at`.execute(db);
  const lastMonthMs = (rows[0]?.at ?? new Date()).getTime();
  await keepDelivered(db, newGuid(), [
    { libraryId: 1, mediaId: WHOLE_LIBRARY, hourMs: lastMonthMs, bytes: 100 },
    { libraryId: 1, mediaId: film, hourMs: lastMonthMs, bytes: 100 },
    { libraryId: 1, mediaId: WHOLE_LIBRARY, hourMs: nowHourMs, bytes: 40 },
    { libraryId: api.second.id, mediaId: WHOLE_LIBRARY, hourMs: nowHourMs, bytes: 9_000 },
  ]);
  await Promise.all([measureStorage(db), measureStorage(db), measureStorage(db)]);
  const { body } = await read('usage');
  expect(body.months.map((one: object) => Object.values(one).slice(1))).toEqual([
    [3000, 0, 0],
    [null, 2, 100],
    [5000, 1, 40],
  ]);
  expect(body.months.at(-1).month).toBe(new Date().toISOString().slice(0, 7));
  expect(body.forecast).toMatchObject({ month: body.months.at(-1).month, storageBytes: 5000 });
  expect((await read('usage?months=1')).body.months).toHaveLength(1);
  const theirs = await read('usage', api.second.key);
  expect(theirs.body.months.map((one: object) => Object.values(one).slice(1))).toEqual([[70, 10, 9_000]]);
  const kept = await db.selectFrom('storage_month').select(['library_id', 'stored_bytes']).orderBy('month').execute();
  expect(kept.filter((row) => row.library_id === 1).map((row) => row.stored_bytes)).toEqual([3000, 5000]);
});
