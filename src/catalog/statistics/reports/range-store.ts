import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import { dateText, type StatisticsRange } from '../sums/statistics-range.ts';
import { WHOLE_LIBRARY } from '../sums/whole-library.ts';

/** What statistics are read of: a library (`mediaId` null) or one of its videos. */
export type StatisticsOf = { libraryId: number; mediaId: Guid | null };

/** Table and condition of a range's sums by hour: `views`, `watch_sec` and estimates, each by `hour` and `country`. */
export function hourRows({ libraryId, mediaId }: StatisticsOf, { fromMs, toMs }: StatisticsRange): RawBuilder<unknown> {
  const from =
    mediaId === null
      ? sql`stat_library_hour where library_id = ${libraryId}`
      : sql`stat_hour where library_id = ${libraryId} and media_id = ${mediaId}`;
  return sql`${from} and hour >= ${new Date(fromMs)} and hour < ${new Date(toMs)}`;
}

/** Table and condition of a range's sums by day, of which a year has few: `sessions` and `amount` by `day`, `value`. */
export function dayRows(
  { libraryId, mediaId }: StatisticsOf,
  kind: 'country' | 'estimate',
  { fromMs, toMs }: StatisticsRange,
): RawBuilder<unknown> {
  return sql`stat_day where library_id = ${libraryId} and media_id = ${mediaId ?? WHOLE_LIBRARY} and kind = ${kind}
    and day >= ${dateText(fromMs)}::date and day < ${dateText(toMs)}::date`;
}
