import { sql } from 'kysely';
import type { Db } from '../../db.ts';
import { bucketKey, bucketKeys, type StatisticsRange } from '../sums/statistics-range.ts';
import { WHOLE_LIBRARY } from '../sums/whole-library.ts';

/**
 * Returns the bytes that the edges sent, by bucket, zeros included: of one pull zone, or of all of them if `pullZoneId`
 * is null. Libraries that were deleted count too.
 */
export async function loadBandwidth(
  db: Db,
  pullZoneId: number | null,
  range: StatisticsRange,
): Promise<Record<string, number>> {
  const { rows } = await sql<{ bucket_ms: number; bytes: number }>`
    select floor(extract(epoch from hour) * 1000 / ${range.stepMs})::bigint * ${range.stepMs}::bigint as bucket_ms,
      sum(bytes)::bigint as bytes
    from delivered_hour where media_id = ${WHOLE_LIBRARY}::uuid
      and hour >= ${new Date(range.fromMs)} and hour < ${new Date(range.toMs)}
      and (${pullZoneId}::bigint is null
        or library_id = (select library_id from pull_zone where id = ${pullZoneId}::bigint))
    group by 1`.execute(db);
  const chart = Object.fromEntries(bucketKeys(range).map((key) => [key, 0]));
  for (const { bucket_ms, bytes } of rows) chart[bucketKey(bucket_ms)] = bytes;
  return chart;
}
