import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db } from '../../db.ts';
import { retentionOf } from '../sums/heat.ts';
import { MIN_SESSIONS, type StatisticsOf } from './statistics-store.ts';

/**
 * Average retention of other videos of a library. `percents` has the same number of parts as the retention of the video
 * that it is compared with.
 */
export type AverageRetention = { videos: number; percents: number[] };

export type Retention = {
  /**
   * Percentage of sessions that played each of up to 100 parts of equal length, or null for a library, and below five
   * sessions.
   */
  retention: number[] | null;
  /** Null if `retention` is null, or if no other video has five sessions. */
  libraryRetention: AverageRetention | null;
};

/** Maximum number of videos in an average: the ones with the most sessions. */
export const MAX_AVERAGED = 500;
/** Maximum weight of a video in sessions, so that one popular video does not determine the average. */
export const MAX_WEIGHT = 100;

/** Loads the retention of a video, and the average of the other videos of its library. */
export async function loadRetention(db: Db, { libraryId, mediaId }: StatisticsOf): Promise<Retention> {
  const none = { retention: null, libraryRetention: null };
  if (mediaId === null) return none;
  const heat = await db
    .selectFrom('media_heat')
    .select(['reached', 'reached_sessions'])
    .where('library_id', '=', libraryId)
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  if (heat === undefined || heat.reached_sessions < MIN_SESSIONS) return none;
  const retention = retentionOf(heat.reached, heat.reached_sessions);
  return { retention, libraryRetention: await averageOthers(db, { libraryId, mediaId }, retention.length) };
}

/**
 * Averages by part of the length: the middle of a short video is compared with the middle of a long one. Each video is
 * weighted by its sessions, at most `MAX_WEIGHT`.
 */
async function averageOthers(
  db: Db,
  { libraryId, mediaId }: { libraryId: number; mediaId: Guid },
  parts: number,
): Promise<AverageRetention | null> {
  // Appending an empty value makes PostgreSQL decompress each map once, not once for each of its parts.
  const { rows } = await sql<{ videos: number; percent: number }>`
    with compared as materialized (
      select reached || ''::bytea as reached, octet_length(reached) / 4 as buckets, reached_sessions as sessions,
        least(reached_sessions, ${MAX_WEIGHT}) as weight
      from media_heat where library_id = ${libraryId} and media_id <> ${mediaId}
        and reached_sessions >= ${MIN_SESSIONS} and octet_length(reached) >= 4
      order by reached_sessions desc, media_id limit ${MAX_AVERAGED}
    ), place as (
      select part, reached, sessions, weight, floor((part + 0.5) * buckets / ${parts})::int * 4 as at
      from compared cross join generate_series(0, ${parts}::int - 1) part
    )
    select count(*)::int as videos, round(sum(weight * least(1, (get_byte(reached, at) + get_byte(reached, at + 1) * 256
      + get_byte(reached, at + 2) * 65536 + get_byte(reached, at + 3) * 16777216::bigint)::float8 / sessions))
      * 100 / sum(weight))::int as percent
    from place group by part order by part`.execute(db);
  const [first] = rows;
  return first === undefined ? null : { videos: first.videos, percents: rows.map(({ percent }) => percent) };
}
