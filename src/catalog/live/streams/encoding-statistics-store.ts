import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db } from '../../db.ts';
import { bucketKey, bucketKeys, type StatisticsRange } from '../../statistics/sums/statistics-range.ts';

/**
 * Filter for a library's encoded live media. An empty list matches everything. Resolutions are numbers of rungs, such
 * as 720.
 */
export type EncodingFilter = {
  libraryId: number;
  streamIds: readonly Guid[];
  codecs: readonly string[];
  resolutions: readonly number[];
};

/**
 * Seconds of live video that were encoded, in total and by property. The chart has a value for each bucket, including
 * zeros.
 */
export type EncodingStatistics = {
  totalSec: number;
  chart: Record<string, number>;
  byStream: Record<string, number>;
  byCodec: Record<string, number>;
  byResolution: Record<string, number>;
};

type Sum = { bucketMs: number; streamId: Guid; codec: string; rung: number; seconds: number };

/** Sums up the encoded live media that is still stored, by capture time. */
export async function loadEncodingStatistics(
  db: Db,
  { libraryId, streamIds, codecs, resolutions }: EncodingFilter,
  range: StatisticsRange,
): Promise<EncodingStatistics> {
  const { fromMs, toMs, stepMs } = range;
  // A merged chunk has no wall-clock time. Its period began when the row was created.
  const { rows } = await sql<Sum>`
    select floor(e.taken_ms / ${stepMs}::float8)::bigint * ${stepMs}::bigint as "bucketMs",
      e.stream as "streamId", e.codec,
      e.rung, sum(e.seconds)::float8 as seconds
    from (select r.media_id as stream, r.codec, r.rung, c.duration_ticks::float8 / r.timescale as seconds,
        coalesce(c.wall_ms, extract(epoch from p.created_at) * 1000 + c.start_tick * 1000.0 / r.timescale)::float8
          as taken_ms
      from live_period p
      join rendition r on r.library_id = p.library_id and r.media_id = p.media_id and r.timeline_id = p.timeline_id
        and r.origin = 'encode' and r.kind = 'video' and r.plan->>'recordedOf' is null
      join chunk c on c.library_id = r.library_id and c.media_id = r.media_id and c.rendition_id = r.id
      where p.library_id = ${libraryId}) e
    where e.taken_ms >= ${fromMs} and e.taken_ms < ${toMs}
      and (${streamIds.length} = 0 or e.stream = any(${[...streamIds]}::uuid[]))
      and (${codecs.length} = 0 or e.codec = any(${[...codecs]}::text[]))
      and (${resolutions.length} = 0 or e.rung = any(${[...resolutions]}::int[]))
    group by 1, 2, 3, 4`.execute(db);
  return {
    totalSec: Math.round(rows.reduce((sum, { seconds }) => sum + seconds, 0)),
    chart: {
      ...Object.fromEntries(bucketKeys(range).map((key) => [key, 0])),
      ...sumBy(rows, ({ bucketMs }) => bucketKey(bucketMs)),
    },
    byStream: sumBy(rows, ({ streamId }) => streamId),
    byCodec: sumBy(rows, ({ codec }) => codec),
    byResolution: sumBy(rows, ({ rung }) => `${rung}`),
  };
}

/** Returns whole seconds by name. */
function sumBy(rows: readonly Sum[], nameOf: (row: Sum) => string): Record<string, number> {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(nameOf(row), (sums.get(nameOf(row)) ?? 0) + row.seconds);
  return Object.fromEntries([...sums].map(([name, seconds]) => [name, Math.round(seconds)]));
}
