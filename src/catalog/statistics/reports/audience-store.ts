import { sql } from 'kysely';
import type { Db } from '../../db.ts';
import { type FactKind, startupPercentile } from '../sums/audience-fact.ts';
import { bucketKey, bucketKeys, DAY_MS, dateText, type StatisticsRange } from '../sums/statistics-range.ts';
import { countViewers } from '../sums/viewer-sketch.ts';
import { WHOLE_LIBRARY } from '../sums/whole-library.ts';
import { loadRetention, type Retention } from './retention-store.ts';
import { dayRows, hourRows, type StatisticsOf } from './statistics-store.ts';

/** Sessions with a value, and seconds watched in them. */
export type Share = { name: string; views: number; watchSec: number };

/** Viewers, their playback quality, and bytes sent. Days are the UTC days on which sessions began. */
export type Audience = Retention & {
  /** Chart by day, zeros included, independent of the range's buckets. */
  uniqueViewersChart: Record<string, number>;
  /** Viewers with playback within the last half minute. */
  viewersNow: number;
  devices: Share[];
  referrers: Share[];
  /** Seconds watched by video height. */
  renditions: { heightPx: number; views: number; watchSec: number }[];
  startup: { measured: number; p50Ms: number | null; p75Ms: number | null; p95Ms: number | null };
  rebuffering: { views: number; seconds: number };
  failures: { views: number; count: number };
  /** Estimates for other players, from their segment requests. */
  estimated: { viewsChart: Record<string, number>; watchTimeChart: Record<string, number> };
  /** Views and seconds that were claimed but not counted. */
  discarded: { views: number; watchSec: number };
  bytesChart: Record<string, number>;
};

export type AudienceStore = { load(of: StatisticsOf, range: StatisticsRange): Promise<Audience> };

type Fact = { kind: FactKind | 'discarded'; value: string; sessions: number; amount: number };
type Sum = { bucket_ms: number; views: number; watch_sec: number };

/**
 * A viewer counts as current for this many seconds after a beacon. A page sends one every ten seconds during playback.
 */
const NOW_SEC = 30;
/** Maximum age of a session that still counts as current, in hours. Older ones are not searched. */
const MAX_HOURS = 13;
const MAX_SHARES = 100;

export function createAudienceStore(db: Db): AudienceStore {
  return {
    async load(of, range) {
      const [facts, viewers, viewersNow, retention, estimates, bytesChart] = await Promise.all([
        selectFacts(db, of, range),
        selectViewers(db, of, range),
        countViewersNow(db, of),
        loadRetention(db, of),
        selectEstimates(db, of, range),
        selectBytes(db, of, range),
      ]);
      return {
        uniqueViewersChart: viewers,
        viewersNow,
        ...toAudience(facts),
        ...retention,
        estimated: estimates,
        bytesChart,
      };
    },
  };
}

function toAudience(facts: readonly Fact[]) {
  const of = (kind: Fact['kind']) => facts.filter((fact) => fact.kind === kind);
  const shares = (kind: FactKind): Share[] =>
    of(kind).map(({ value, sessions, amount }) => ({ name: value, views: sessions, watchSec: amount }));
  const sum = (kind: Fact['kind'], field: 'sessions' | 'amount') =>
    of(kind).reduce((all, fact) => all + fact[field], 0);
  const starts = new Map(of('startup').map(({ value, sessions }) => [Number(value), sessions]));
  return {
    devices: shares('device'),
    referrers: shares('referrer'),
    renditions: of('rung')
      .map(({ value, sessions, amount }) => ({ heightPx: Number(value), views: sessions, watchSec: amount }))
      .sort((a, b) => b.heightPx - a.heightPx),
    startup: {
      measured: sum('startup', 'sessions'),
      p50Ms: startupPercentile(starts, 0.5),
      p75Ms: startupPercentile(starts, 0.75),
      p95Ms: startupPercentile(starts, 0.95),
    },
    rebuffering: { views: sum('stall', 'sessions'), seconds: Math.round(sum('stall', 'amount') / 1000) },
    failures: { views: sum('failure', 'sessions'), count: sum('failure', 'amount') },
    discarded: { views: sum('discarded', 'sessions'), watchSec: sum('discarded', 'amount') },
  };
}

/** Returns the whole days that the range touches, because sums are by day. */
function daysOf({ fromMs, toMs }: StatisticsRange): StatisticsRange {
  const first = Math.floor(fromMs / DAY_MS) * DAY_MS;
  return { fromMs: first, toMs: Math.ceil(toMs / DAY_MS) * DAY_MS, stepMs: DAY_MS };
}

async function selectFacts(db: Db, { libraryId, mediaId }: StatisticsOf, range: StatisticsRange): Promise<Fact[]> {
  const { fromMs, toMs } = daysOf(range);
  const { rows } = await sql<Fact>`
    select kind, value, sessions, amount from (
      select kind, value, sum(sessions)::bigint as sessions, sum(amount)::bigint as amount,
        row_number() over (partition by kind order by sum(sessions) desc, value) as place
      from stat_day where library_id = ${libraryId} and media_id = ${mediaId ?? WHOLE_LIBRARY}
        and day >= ${dateText(fromMs)}::date and day < ${dateText(toMs)}::date
        and kind not in ('country', 'estimate')
      group by kind, value) facts
    where kind not in ('device', 'referrer') or place <= ${MAX_SHARES}
    order by sessions desc, value`.execute(db);
  return rows;
}

async function selectViewers(db: Db, { libraryId, mediaId }: StatisticsOf, range: StatisticsRange) {
  const days = daysOf(range);
  const { rows } = await sql<{ day: string; registers: Buffer }>`
    select day::text as day, registers from viewer_sketch
    where library_id = ${libraryId} and media_id = ${mediaId ?? WHOLE_LIBRARY}
      and day >= ${dateText(days.fromMs)}::date and day < ${dateText(days.toMs)}::date`.execute(db);
  return chartOf(
    days,
    rows.map(({ day, registers }) => [Date.parse(`${day}T00:00Z`), countViewers(registers)]),
  );
}

/** SQL: condition that a row of `view_session` had playback within the last half minute. */
export const isViewingNow = sql<boolean>`(start_hour > now() - make_interval(hours => ${MAX_HOURS}) and not is_estimate
  and verdict <> 'undelivered' and seen_at > now() - make_interval(secs => ${NOW_SEC}))`;

/** Counts sessions with playback within the last half minute. */
export async function countViewersNow(db: Db, { libraryId, mediaId }: StatisticsOf): Promise<number> {
  const { rows } = await sql<{ viewers: number }>`
    select count(*)::int as viewers from view_session
    where ${isViewingNow} and library_id = ${libraryId}
      and (${mediaId}::uuid is null or media_id = ${mediaId}::uuid)`.execute(db);
  return rows[0]?.viewers ?? 0;
}

async function selectEstimates(db: Db, of: StatisticsOf, range: StatisticsRange) {
  const buckets =
    range.stepMs === DAY_MS
      ? sql`select day as bucket, sessions as views, amount as watch_sec from ${dayRows(of, 'estimate', range)}`
      : sql`select hour as bucket, estimated_views as views, estimated_watch_sec as watch_sec
          from ${hourRows(of, range)} and (estimated_views <> 0 or estimated_watch_sec <> 0)`;
  const { rows } = await sql<Sum>`
    select extract(epoch from bucket)::bigint * 1000 as bucket_ms, sum(views)::bigint as views,
      sum(watch_sec)::bigint as watch_sec
    from (${buckets}) buckets group by bucket`.execute(db);
  return {
    viewsChart: chartOf(
      range,
      rows.map(({ bucket_ms, views }) => [bucket_ms, views]),
    ),
    watchTimeChart: chartOf(
      range,
      rows.map(({ bucket_ms, watch_sec }) => [bucket_ms, watch_sec]),
    ),
  };
}

async function selectBytes(db: Db, { libraryId, mediaId }: StatisticsOf, range: StatisticsRange) {
  const { rows } = await sql<{ bucket_ms: number; bytes: number }>`
    select ${bucketOf(range)} as bucket_ms, sum(bytes)::bigint as bytes
    from delivered_hour where library_id = ${libraryId} and media_id = ${mediaId ?? WHOLE_LIBRARY}
      and hour >= ${new Date(range.fromMs)} and hour < ${new Date(range.toMs)}
    group by 1`.execute(db);
  return chartOf(
    range,
    rows.map(({ bucket_ms, bytes }) => [bucket_ms, bytes]),
  );
}

function bucketOf({ stepMs }: StatisticsRange) {
  return sql`floor(extract(epoch from hour) * 1000 / ${stepMs})::bigint * ${stepMs}::bigint`;
}

function chartOf(range: StatisticsRange, values: readonly (readonly [number, number])[]): Record<string, number> {
  const chart = Object.fromEntries(bucketKeys(range).map((key) => [key, 0]));
  for (const [ms, value] of values) chart[bucketKey(ms)] = value;
  return chart;
}
