import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db, MediaKey } from '../../db.ts';
import { toHeatmap, toShares } from '../sums/heat.ts';
import { bucketKey, bucketKeys, DAY_MS, dateText, type StatisticsRange } from '../sums/statistics-range.ts';
import { WHOLE_LIBRARY } from '../sums/whole-library.ts';

/** Subject of statistics: a library (`mediaId` null) or one of its videos. */
export type StatisticsOf = { libraryId: number; mediaId: Guid | null };

/** Statistics of a library, or of one of its videos: charts by bucket, zeros included, and sums by country. */
export type Statistics = {
  viewsChart: Record<string, number>;
  watchTimeChart: Record<string, number>;
  countryViewCounts: Record<string, number>;
  countryWatchTime: Record<string, number>;
  /** 0 to 100; 0 for a library, and below five views. */
  engagementScore: number;
};

/** Minimum number of sessions for heat and engagement. Fewer are not meaningful, and could reveal a single viewer. */
export const MIN_SESSIONS = 5;

export type StatisticsStore = {
  /** Returns statistics of a library (`mediaId` null) or a video, over whole buckets. */
  load(of: StatisticsOf, range: StatisticsRange): Promise<Statistics>;
  /** Returns the heatmap of a video by second; null below five sessions. */
  heatmap(key: MediaKey): Promise<Record<string, number> | null>;
  /** Returns the heatmap as a curve: 0 to 100 for each part of equal length. */
  heatCurve(key: MediaKey): Promise<number[] | null>;
};

/** The sum of a bucket over all countries, or of a country over all buckets; the other field is null. */
type Sum = { bucket_ms: number | null; country: string | null; views: number; watch_sec: number };

export function createStatisticsStore(db: Db): StatisticsStore {
  return {
    async load(of, range) {
      const [sums, durationSec] = await Promise.all([selectSums(db, of, range), selectDuration(db, of)]);
      return toStatistics(sums, range, durationSec);
    },
    async heatmap(key) {
      const heat = await selectHeat(db, key);
      return heat && toHeatmap(heat.counts, heat.bucket_sec);
    },
    async heatCurve(key) {
      const heat = await selectHeat(db, key);
      return heat && toShares(heat.counts);
    },
  };
}

async function selectHeat(db: Db, { libraryId, mediaId }: MediaKey) {
  const heat = await db
    .selectFrom('media_heat')
    .select(['bucket_sec', 'sessions', 'counts'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  return heat === undefined || heat.sessions < MIN_SESSIONS ? null : heat;
}

async function selectSums(db: Db, of: StatisticsOf, range: StatisticsRange): Promise<Sum[]> {
  // Converts buckets to times after summing, because converting each row would be half of the work.
  const { rows } = await sql<Sum>`
    select extract(epoch from bucket)::bigint * 1000 as bucket_ms, country, views, watch_sec from (
      select bucket, country, sum(views)::bigint as views, sum(watch_sec)::bigint as watch_sec
      from ${bucketsIn(of, range)} buckets where views <> 0 or watch_sec <> 0
      group by grouping sets ((bucket), (country))) sums`.execute(db);
  return rows;
}

/** Selects rows of the range by bucket and country. */
function bucketsIn(of: StatisticsOf, range: StatisticsRange) {
  return range.stepMs === DAY_MS
    ? sql`(select day as bucket, value as country, sessions as views, amount as watch_sec
        from ${dayRows(of, 'country', range)})`
    : sql`(select hour as bucket, country, views, watch_sec from ${hourRows(of, range)})`;
}

async function selectDuration(db: Db, { libraryId, mediaId }: StatisticsOf) {
  if (mediaId === null) return null;
  const media = await db
    .selectFrom('media')
    .select('duration_ms')
    .where('library_id', '=', libraryId)
    .where('id', '=', mediaId)
    .executeTakeFirst();
  return media === undefined ? null : media.duration_ms / 1000;
}

function toStatistics(sums: readonly Sum[], range: StatisticsRange, durationSec: number | null): Statistics {
  const keys = bucketKeys(range);
  const [viewsChart, watchTimeChart] = [emptyChart(keys), emptyChart(keys)];
  const countryViewCounts: Record<string, number> = {};
  const countryWatchTime: Record<string, number> = {};
  const total = { views: 0, watchSec: 0 };
  for (const { bucket_ms, country, views, watch_sec } of sums) {
    if (bucket_ms !== null) {
      const key = bucketKey(bucket_ms);
      viewsChart[key] = views;
      watchTimeChart[key] = watch_sec;
      total.views += views;
      total.watchSec += watch_sec;
    } else if (country !== null && country !== '') {
      countryViewCounts[country] = views;
      countryWatchTime[country] = watch_sec;
    }
  }
  return {
    viewsChart,
    watchTimeChart,
    countryViewCounts,
    countryWatchTime,
    engagementScore: engagementOf(total, durationSec),
  };
}

function emptyChart(keys: readonly string[]): Record<string, number> {
  return Object.fromEntries(keys.map((key) => [key, 0]));
}

/** Returns the average percentage of a video that its views watched: watch time / (views x length), at most 100. */
function engagementOf({ views, watchSec }: { views: number; watchSec: number }, durationSec: number | null): number {
  if (durationSec === null || durationSec <= 0 || views < MIN_SESSIONS) return 0;
  return Math.round(Math.min(1, watchSec / (views * durationSec)) * 100);
}

/**
 * Returns the table and the condition that select the hourly sums of a range: `views`, `watch_sec` and estimates, each
 * by `hour` and `country`.
 */
export function hourRows({ libraryId, mediaId }: StatisticsOf, { fromMs, toMs }: StatisticsRange): RawBuilder<unknown> {
  const from =
    mediaId === null
      ? sql`stat_library_hour where library_id = ${libraryId}`
      : sql`stat_hour where library_id = ${libraryId} and media_id = ${mediaId}`;
  return sql`${from} and hour >= ${new Date(fromMs)} and hour < ${new Date(toMs)}`;
}

/**
 * Returns the table and condition that select the daily sums of a range: `sessions` and `amount` by `day` and `value`.
 * Even a year has only few rows.
 */
export function dayRows(
  { libraryId, mediaId }: StatisticsOf,
  kind: 'country' | 'estimate',
  { fromMs, toMs }: StatisticsRange,
): RawBuilder<unknown> {
  return sql`stat_day where library_id = ${libraryId} and media_id = ${mediaId ?? WHOLE_LIBRARY} and kind = ${kind}
    and day >= ${dateText(fromMs)}::date and day < ${dateText(toMs)}::date`;
}
