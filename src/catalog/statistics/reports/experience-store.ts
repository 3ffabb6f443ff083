import { sql } from 'kysely';
import type { Db, MediaKey } from '../../db.ts';

/** Playback quality for viewers of a country. `startupMs` is the median, or null if none was measured. */
export type Experience = {
  country: string;
  sessions: number;
  startupMs: number | null;
  /** Sessions that stalled at least once. */
  stalled: number;
  stallMs: number;
  failures: number;
};

const DAYS = 7;
const MAX_COUNTRIES = 30;

/**
 * Loads start-up, stalls and failures of the last seven days by country, most sessions first, for one video or a
 * library.
 */
export async function loadExperiences(
  db: Db,
  { libraryId, mediaId = undefined }: Pick<MediaKey, 'libraryId'> & Partial<MediaKey>,
): Promise<Experience[]> {
  const { rows } = await sql<Experience>`
    select country, count(*) as sessions,
      (percentile_cont(0.5) within group (order by startup_ms))::int as "startupMs",
      count(*) filter (where stall_count > 0) as stalled, coalesce(sum(stall_ms), 0)::bigint as "stallMs",
      coalesce(sum(failures), 0)::bigint as failures
    from view_session where start_hour > now() - make_interval(days => ${DAYS}) and library_id = ${libraryId}
      and not is_estimate
      and (${mediaId ?? null}::uuid is null or media_id = ${mediaId ?? null}::uuid)
    group by country order by count(*) desc, country limit ${MAX_COUNTRIES}`.execute(db);
  return rows;
}
