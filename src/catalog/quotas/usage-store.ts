import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { storageOfLibrary } from '../libraries/library-view-store.ts';
import { countViewersNow } from '../statistics/reports/audience-store.ts';
import { trafficOfMonth } from '../statistics/sums/delivered-store.ts';
import type { Usage } from './quota.ts';

/** Seconds after the last media of its publisher, or after its acceptance, for which a stream counts as live. */
const LIVE_SEC = 30;

/** First day of the current month in UTC. */
export const thisMonth: RawBuilder<string> = sql<string>`(date_trunc('month', now() at time zone 'UTC'))::date`;

/** Milliseconds of video that were encoded for a library this month, as SQL over a row of `library`. */
export const encodedOfMonth = sql<number>`
  (select coalesce(sum(encoded_ms), 0)::bigint from encoded_month e
    where e.library_id = library.id and e.month = ${thisMonth})`;

/** Returns the current use of all resources. The values are those of the statistics and of the library's totals. */
export async function measureUsage(db: Db, libraryId: number): Promise<Usage> {
  const { rows } = await sql<Omit<Usage, 'concurrentLiveStreams' | 'concurrentViewers'>>`
    select ${storageOfLibrary} as "storageBytes", ${trafficOfMonth} as "bandwidthBytesPerMonth",
      ${encodedOfMonth} / 60000 as "encodedMinutesPerMonth"
    from library where id = ${libraryId}`.execute(db);
  const [sums] = rows;
  return {
    storageBytes: sums?.storageBytes ?? 0,
    encodedMinutesPerMonth: sums?.encodedMinutesPerMonth ?? 0,
    concurrentLiveStreams: await countLive(db, libraryId, null),
    concurrentViewers: await countViewersNow(db, { libraryId, mediaId: null }),
    bandwidthBytesPerMonth: sums?.bandwidthBytesPerMonth ?? 0,
  };
}

/** Counts the streams of a library, except `without`, that receive media now or have just accepted a publisher. */
export async function countLive(db: Db, libraryId: number, without: Guid | null): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    select count(*)::int as live from live_stream s join live_lease l on l.stream_id = s.id
    where s.library_id = ${libraryId} and s.state in ('preview', 'running') and s.id is distinct from ${without}::uuid
      and greatest(l.primary_media_at, l.backup_media_at, l.published_at)
        > now() - make_interval(secs => ${LIVE_SEC})`.execute(db);
  return rows[0]?.live ?? 0;
}
