import { sql } from 'kysely';
import type { Db, MediaKey } from '../db.ts';
import { MAX_BUCKETS } from '../statistics/sums/statistics-range.ts';
import { unknownVideo } from '../unknown-video.ts';

/** Fields of a video that exports carry and the hosted API does not have. */
export type VideoExtras = {
  /** Time of the chosen frame of the thumbnail, or null for the default. */
  thumbnailTimeMs: number | null;
  /** Captions that were generated from speech. `translatedFrom` is the language of their source, or null. */
  generated: { srclang: string; translatedFrom: string | null }[];
  /** Views and watch time of each UTC day that has some, newest first. */
  days: { day: string; views: number; watchSec: number }[];
};

/** Throws `Refused` (`not-found`) for an unknown video. */
export async function loadVideoExtras(db: Db, key: MediaKey): Promise<VideoExtras> {
  const row = await db
    .selectFrom('media')
    .select(['thumbnail_time_ms', 'captions'])
    .where('library_id', '=', key.libraryId)
    .where('id', '=', key.mediaId)
    .where('type', '=', 'video')
    .executeTakeFirst();
  if (row === undefined) throw unknownVideo(key);
  const { rows: days } = await sql<VideoExtras['days'][number]>`
    select stat_day.day::text as day, sum(sessions)::bigint as views, sum(amount)::bigint as "watchSec" from stat_day
    where library_id = ${key.libraryId} and media_id = ${key.mediaId} and kind = 'country'
    group by stat_day.day having sum(sessions) > 0 or sum(amount) > 0
    order by stat_day.day desc limit ${MAX_BUCKETS}`.execute(db);
  return {
    days,
    thumbnailTimeMs: row.thumbnail_time_ms,
    generated: row.captions
      .filter(({ origin }) => origin === 'speech')
      .map(({ srclang, translatedFrom = null }) => ({ srclang, translatedFrom })),
  };
}
