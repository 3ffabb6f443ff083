import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db } from '../../db.ts';
import type { StatisticsRange } from '../sums/statistics-range.ts';
import type { StatisticsOf } from './statistics-store.ts';

/** Playback of the views of a group: how they started, stalled and failed. */
export type GroupQuality = {
  views: number;
  watchSec: number;
  /** Median and 95th percentile, or null if no start was measured. */
  startupP50Ms: number | null;
  startupP95Ms: number | null;
  stalledViews: number;
  stallMs: number;
  failedViews: number;
};

/** `name`: a country or a device, empty if unknown. */
export type NamedQuality = GroupQuality & { name: string };

export type Quality = {
  /** Views that were examined, the newest ones of the range. */
  views: number;
  /** True if the range has more views than were examined. */
  isLimited: boolean;
  countries: NamedQuality[];
  devices: NamedQuality[];
  /** By the height that a view showed longest. */
  renditions: (GroupQuality & { heightPx: number })[];
  /** Title: null if the video was deleted. Empty for a single video. */
  videos: (GroupQuality & { mediaId: Guid; title: string | null })[];
};

type Kind = 'country' | 'device' | 'rendition' | 'video';
type Row = NamedQuality & { kind: Kind; title: string | null };

/** Maximum number of views that one report reads, the newest ones. */
export const MAX_EXAMINED = 50_000;
/** Maximum number of groups of a kind, those with the most views. */
const MAX_GROUPS = 30;

/**
 * Loads playback quality by country, device, resolution and video. It reads the stored visits, because the daily sums
 * have no combinations. Visits are deleted after some months, so an older range is empty.
 */
export async function loadQuality(db: Db, { libraryId, mediaId }: StatisticsOf, range: StatisticsRange) {
  const { rows } = await sql<Row>`
    with visit as materialized (
      select country, device, media_id, startup_ms, stall_ms, failures,
        (select coalesce(sum(sec), 0) from unnest(watched_sec) sec) as watch_sec,
        (select key from jsonb_each_text(rung_sec) order by value::numeric desc, key::numeric desc limit 1) as rung
      from view_session
      where library_id = ${libraryId} and (${mediaId}::uuid is null or media_id = ${mediaId}::uuid)
        and start_hour >= ${new Date(range.fromMs)} and start_hour < ${new Date(range.toMs)}
        and not is_estimate and verdict = 'counted'
      order by start_hour desc limit ${MAX_EXAMINED}
    ), part as (
      select case when grouping(country) = 0 then 'country' when grouping(device) = 0 then 'device'
          when grouping(rung) = 0 then 'rendition' else 'video' end as kind,
        coalesce(country, device, rung, media_id::text) as name, count(*)::int as views,
        sum(watch_sec)::bigint as "watchSec",
        percentile_disc(0.5) within group (order by startup_ms) as "startupP50Ms",
        percentile_disc(0.95) within group (order by startup_ms) as "startupP95Ms",
        (count(*) filter (where stall_ms > 0))::int as "stalledViews", sum(stall_ms)::bigint as "stallMs",
        (count(*) filter (where failures > 0))::int as "failedViews"
      from visit group by grouping sets ((country), (device), (rung), (media_id))
    ), ranked as (
      select *, row_number() over (partition by kind order by views desc, name) as place from part
      where name is not null
    )
    select ranked.*, media.title from ranked
    left join media on kind = 'video' and media.library_id = ${libraryId} and media.id::text = ranked.name
    where place <= ${MAX_GROUPS} order by kind, place`.execute(db);
  return toQuality(rows, await countViews(db, { libraryId, mediaId }, range), mediaId === null);
}

/** Counts the views of a range, up to one more than is examined. */
async function countViews(db: Db, { libraryId, mediaId }: StatisticsOf, range: StatisticsRange): Promise<number> {
  const { rows } = await sql<{ views: number }>`
    select count(*)::int as views from (
      select from view_session
      where library_id = ${libraryId} and (${mediaId}::uuid is null or media_id = ${mediaId}::uuid)
        and start_hour >= ${new Date(range.fromMs)} and start_hour < ${new Date(range.toMs)}
        and not is_estimate and verdict = 'counted'
      limit ${MAX_EXAMINED + 1}) views`.execute(db);
  return rows[0]?.views ?? 0;
}

function toQuality(rows: readonly Row[], views: number, isLibrary: boolean): Quality {
  const of = (wanted: Kind) => rows.filter(({ kind }) => kind === wanted);
  return {
    views: Math.min(views, MAX_EXAMINED),
    isLimited: views > MAX_EXAMINED,
    countries: of('country'),
    devices: of('device'),
    renditions: of('rendition')
      .map((row) => ({ ...row, heightPx: Number(row.name) }))
      .sort((a, b) => b.heightPx - a.heightPx),
    // `name` is an id of `media`, as text.
    videos: isLibrary ? of('video').map((row) => ({ ...row, mediaId: row.name as Guid })) : [],
  };
}
