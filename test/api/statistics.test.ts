import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countSessions } from '../../src/catalog/statistics/sums/count-sessions-store.ts';
import { keepDelivered } from '../../src/catalog/statistics/sums/delivered-store.ts';
import type { SeenSession } from '../../src/catalog/statistics/sums/statistics-gain.ts';
import { WHOLE_LIBRARY } from '../../src/catalog/statistics/sums/whole-library.ts';
import { type Guid, newGuid } from '../../src/lib/guid.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { someSession } from '../support/some-session.ts';

const HOUR_MS = 3600_000;
const DAY_MS = 24 * HOUR_MS;
const nowHourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

let api: TestApi;
let guid: Guid;

beforeAll(async () => {
  api = await startTestApi();
  guid = Object((await api.call('POST', '/library/1/videos', { body: { title: 'Watched' } })).body).guid;
  await api.database.db.updateTable('media').set({ duration_ms: 20_000 }).where('id', '=', guid).execute();
  const visits: Partial<SeenSession>[] = [
    { country: 'DE' },
    { country: 'DE', startHourMs: nowHourMs - HOUR_MS },
    { country: '' },
    { country: 'FR', startHourMs: nowHourMs - 20 * DAY_MS, device: 'tv' },
    { country: 'FR', startHourMs: nowHourMs - 60 * DAY_MS },
  ];
  const of = { libraryId: 1, mediaId: guid };
  const sessions = visits.map((fields) => someSession(of, { startHourMs: nowHourMs, ...fields }));
  await countSessions(api.database.db, sessions);
});
afterAll(async () => {
  expect(api.faults).toEqual([]);
  await api.stop();
});

const read = async (query: string, options = {}) => {
  const { status, body } = await api.call('GET', `/library/1/statistics${query}`, options);
  const { viewsChart, watchTimeChart } = Object(body);
  const sum = (chart: object) => Object.values(chart ?? {}).reduce((all: number, value) => all + Number(value), 0);
  return { status, body: Object(body), views: sum(viewsChart), watchSec: sum(watchTimeChart) };
};

test.each([
  ['', 4],
  ['?dateFrom=yesterday', 4],
  ['?dateFrom=&dateTo=2020-01-01', 4],
  ['?dateTo=never&videoGuid=', 4],
  ['?dateFrom=9999999999999-01-01', 4],
  [`?dateFrom=${new Date(nowHourMs - 70 * DAY_MS).toISOString().slice(0, 10)}`, 5],
  ['?dateFrom=0001-01-01&hourly=', 5],
  [
    `?dateFrom=${new Date(nowHourMs - 70 * DAY_MS).toISOString()}` +
      `&dateTo=${new Date(nowHourMs - 59 * DAY_MS).toISOString()}`,
    1,
  ],
])('accepts the query "%s", and counts %i views', async (query, views) => {
  const found = await read(query);
  expect([found.status, found.views, found.watchSec]).toEqual([200, views, views * 10]);
});

test('hourly and daily statistics of a library and of a video agree with the totals of the video', async () => {
  const from = `dateFrom=${new Date(nowHourMs - 70 * DAY_MS).toISOString()}`;
  const queries = [`?${from}`, `?${from}&hourly=true`, `?${from}&videoGuid=${guid}`];
  const sums = await Promise.all(queries.map((query) => read(query)));
  const { views, totalWatchTime } = Object((await api.call('GET', `/library/1/videos/${guid}`)).body);
  const expected = { views: 5, watchSec: 50 };
  expect([...sums, { views, watchSec: totalWatchTime }]).toMatchObject([expected, expected, expected, expected]);
  const { countryViewCounts, countryWatchTime, engagementScore } = sums[2]?.body ?? {};
  expect([countryViewCounts, countryWatchTime]).toEqual([
    { DE: 2, FR: 2 },
    { DE: 20, FR: 20 },
  ]);
  expect([engagementScore, sums[0]?.body.engagementScore]).toEqual([50, 0]);
});

test.each(['statistics', 'statistics/audience', 'statistics/export'])(
  '%s returns 404 for a malformed, unknown or foreign video, and accepts read-only keys',
  async (path) => {
    const foreign = await api.call('POST', `/library/${api.second.id}/videos`, {
      key: api.second.key,
      body: { title: 'Foreign' },
    });
    const ids = ['junk', newGuid(), Object(foreign.body).guid];
    const answers = await Promise.all(ids.map((id) => api.call('GET', `/library/1/${path}?videoGuid=${id}`)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await api.call('GET', `/library/1/${path}`, { key: api.first.readOnlyKey })).status).toBe(200);
  },
);

test('returns every hour of a year, and rejects a longer range', async () => {
  const from = (days: number) => `?hourly=true&dateFrom=${new Date(nowHourMs - days * DAY_MS).toISOString()}`;
  const { status, body, views } = await read(from(365));
  expect([status, views]).toEqual([200, 5]);
  // The hour of the request may have changed since the file began.
  for (const chart of [body.viewsChart, body.watchTimeChart]) {
    expect([365 * 24 + 1, 365 * 24 + 2]).toContain(Object.keys(chart).length);
  }
  const refused = await read(from(400));
  expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('at most')]);
});

test('statistics of a future range are empty, by day and by hour', async () => {
  const later = new Date(Date.now() + 2 * DAY_MS).toISOString();
  for (const hourly of [false, true]) {
    const query = `videoGuid=${guid}&dateFrom=${later}&hourly=${hourly}`;
    const { body } = await api.call('GET', `/library/1/statistics?${query}`);
    expect(body).toMatchObject({ viewsChart: {}, watchTimeChart: {}, countryViewCounts: {}, engagementScore: 0 });
    const audience = await api.call('GET', `/library/1/statistics/audience?${query}`);
    expect(audience.body).toMatchObject({ uniqueViewers: 0, uniqueViewersChart: {}, devices: [], bytesChart: {} });
  }
});

test('returns the audience of a video, and all statistics as CSV', async () => {
  // Current viewers were seen within the last half minute. The preceding tests may take longer.
  await api.database.db.updateTable('view_session').set({ seen_at: sql`now()` }).execute();
  const { status, body } = await api.call('GET', `/library/1/statistics/audience?videoGuid=${guid}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    devices: [
      { name: 'desktop', views: 3, watchTime: 30 },
      { name: 'tv', views: 1, watchTime: 10 },
    ],
    startup: { measured: 4 },
    retention: [100, 100, ...Array(18).fill(0)],
    viewersNow: 3,
  });
  const { headers, text } = await api.call('GET', `/library/1/statistics/export?videoGuid=${guid}`);
  expect(headers.get('content-type')).toContain('text/csv');
  const lines = text.trim().split('\r\n');
  expect(lines[0]).toBe('measure,time,name,value');
  expect(lines).toContain('device_views,,desktop,3');
  expect(lines).toContain('country_views,,FR,1');
  expect(lines).toEqual(
    expect.arrayContaining([expect.stringMatching(/^engagement_percent,,,\d+$/), 'startup_views,,,4', 'failures,,,0']),
  );
  expect(text).not.toContain('heat_percent');
});

test('returns the heatmap, and includes it in play data, if the library enables it', async () => {
  const paths = [`/library/1/videos/${guid}/heatmap`, `/library/1/videos/${guid}/play/heatmap`];
  const show = (showHeatmap: boolean) =>
    api.database.db
      .updateTable('library')
      .set({ settings: JSON.stringify({ player: { showHeatmap } }) })
      .where('id', '=', 1)
      .execute();
  for (const [isShown, heatmap] of [
    [false, null],
    [true, { 0: 100, 1: 100 }],
  ] as const) {
    await show(isShown);
    for (const path of paths) {
      // Library settings are cached briefly.
      const ask = async () => Object((await api.call('GET', path)).body).heatmap;
      await expect.poll(ask, { timeout: 20_000 }).toEqual(heatmap);
    }
    const { text } = await api.call('GET', `/library/1/statistics/export?videoGuid=${guid}`);
    expect(text.includes('heat_percent,,1,100')).toBe(isShown);
  }
  expect((await api.call('GET', paths[1] ?? '', { key: null })).body).toMatchObject({
    video: { guid },
    showHeatmap: true,
  });
});

test("reports the bytes of the current month as the library's traffic", async () => {
  const total = { libraryId: 1, mediaId: WHOLE_LIBRARY, hourMs: nowHourMs, bytes: 12_345 };
  const lastMonth = { ...total, hourMs: nowHourMs - 40 * DAY_MS, bytes: 7 };
  await keepDelivered(api.database.db, newGuid(), [total, lastMonth]);
  const library = await api.call('GET', '/videolibrary/1', { key: api.first.accountKey });
  expect(Object(library.body).TrafficUsage).toBe(12_345);
  const audience = await api.call('GET', '/library/1/statistics/audience');
  expect(Object(audience.body).bytesSent).toBe(12_345);
});
