import { type RawBuilder, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db } from '../db.ts';
import { isViewingNow } from '../statistics/reports/audience-store.ts';
import { isTrafficOfMonth } from '../statistics/sums/delivered-store.ts';
import { QUOTA_RESOURCES, type Quota, type QuotaLevel, type QuotaResource, type Usage } from './quota.ts';

/** Seconds after the last media of its publisher, or after its acceptance, for which a stream counts as live. */
const LIVE_SEC = 30;

/** First day of the current month in UTC. */
export const thisMonth: RawBuilder<string> = sql<string>`(date_trunc('month', now() at time zone 'UTC'))::date`;

/** Milliseconds of video that were encoded for a library this month, as SQL over a row of `library`. */
export const encodedOfMonth = sql<number>`
  (select coalesce(sum(encoded_ms), 0)::bigint from encoded_month e
    where e.library_id = library.id and e.month = ${thisMonth})`;

/** SQL: condition that a stream `s` with lease `l` receives media now or has just accepted a publisher. */
const isLive = sql<boolean>`(s.state in ('preview', 'running')
  and greatest(l.primary_media_at, l.backup_media_at, l.published_at) > now() - make_interval(secs => ${LIVE_SEC}))`;

/** Use of all resources of a library. `month`: the month in which it was measured, such as `2026-11`. */
export type MeasuredUsage = { month: string; usage: Usage };

/** Returns the current use of all resources. The values come from the statistics and the library's totals. */
export async function measureUsage(db: Db, libraryId: number): Promise<MeasuredUsage> {
  const only = sql`select ${libraryId}::bigint`;
  const { rows } = await sql<{ month: string; resource: QuotaResource | null; used: number | null }>`
    select to_char(${thisMonth}, 'YYYY-MM') as month, resource, used
    from (select) one left join (${usageOf(() => only)}) found on true`.execute(db);
  const usedOf = (name: QuotaResource) => rows.find(({ resource }) => resource === name)?.used ?? 0;
  // The names of the entries are exactly the resources.
  const usage = Object.fromEntries(QUOTA_RESOURCES.map((name) => [name, usedOf(name)])) as Usage;
  return { month: rows[0]?.month ?? '', usage };
}

/** A limit of a library, with its state. */
export type LimitRow = Quota & { resource: QuotaResource; level: QuotaLevel; isHolding: boolean };

/** A limit with the current use, the use that was stored before, and whether it was stored a minute ago or earlier. */
export type MeasuredLimit = LimitRow & { libraryId: number; used: number; storedUsed: number; isStale: boolean };

/** Returns all limits of all libraries with their current use, with one query. */
export async function measureLimits(db: Db): Promise<MeasuredLimit[]> {
  const withLimit = (resource: QuotaResource) =>
    sql`select library_id from library_quota where resource = ${sql.lit(resource)}`;
  const { rows } = await sql<MeasuredLimit>`
    select q.library_id as "libraryId", q.resource, q.max_amount as limit, q.mode, q.level,
      q.is_holding as "isHolding", q.used as "storedUsed", q.measured_at < now() - interval '1 minute' as "isStale",
      coalesce(found.used, 0)::bigint as used
    from library_quota q join library on library.id = q.library_id and library.deleted_at is null
    left join (${usageOf(withLimit)}) found using (library_id, resource)`.execute(db);
  return rows;
}

/**
 * Returns SQL with a row (library_id, resource, used) for each resource that is used. `idsOf` selects the ids of the
 * libraries for a resource.
 */
function usageOf(idsOf: (resource: QuotaResource) => RawBuilder<unknown>): RawBuilder<unknown> {
  const rowsOf = (resource: QuotaResource) => {
    const { used, from } = SOURCES[resource];
    return sql`select library_id, ${sql.lit(resource)} as resource, (${used})::bigint as used from ${from}
      and library_id in (${idsOf(resource)}) group by library_id`;
  };
  return sql.join(QUOTA_RESOURCES.map(rowsOf), sql` union all `);
}

/** SQL of the use of each resource, and of the rows that it is computed from, which end with a condition. */
const SOURCES: Readonly<Record<QuotaResource, { used: RawBuilder<unknown>; from: RawBuilder<unknown> }>> = {
  storageBytes: { used: sql`greatest(0, sum(bytes))`, from: sql`library_storage where true` },
  encodedMinutesPerMonth: {
    used: sql`floor(sum(encoded_ms) / 60000)`,
    from: sql`encoded_month where month = ${thisMonth}`,
  },
  concurrentLiveStreams: {
    used: sql`count(*)`,
    from: sql`live_stream s join live_lease l on l.stream_id = s.id where ${isLive}`,
  },
  concurrentViewers: { used: sql`count(*)`, from: sql`view_session where ${isViewingNow}` },
  bandwidthBytesPerMonth: { used: sql`sum(bytes)`, from: sql`delivered_hour sent where ${isTrafficOfMonth}` },
};

/** Counts the streams of a library, except `without`, that receive media now or have just accepted a publisher. */
export async function countLive(db: Db, libraryId: number, without: Guid | null): Promise<number> {
  const { rows } = await sql<{ live: number }>`
    select count(*)::int as live from live_stream s join live_lease l on l.stream_id = s.id
    where s.library_id = ${libraryId} and ${isLive} and s.id is distinct from ${without}::uuid`.execute(db);
  return rows[0]?.live ?? 0;
}
