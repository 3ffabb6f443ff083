import { sql } from 'kysely';
import type { Guid } from '../../../lib/guid.ts';
import type { Db } from '../../db.ts';
import { WHOLE_LIBRARY } from './whole-library.ts';

/**
 * Bytes that one edge process sent for a media item, or for a whole library (`WHOLE_LIBRARY`), in a UTC hour so far.
 */
export type DeliveredTotal = { libraryId: number; mediaId: Guid; hourMs: number; bytes: number };

/**
 * Stores one writer's totals so far. Totals only increase, so repeated or late writes change nothing. Each process has
 * its own totals, so that edges never wait for each other.
 */
export async function keepDelivered(db: Db, writer: Guid, totals: readonly DeliveredTotal[]): Promise<void> {
  if (totals.length === 0) return;
  const sent = JSON.stringify(totals.map((total) => ({ ...total, hour: new Date(total.hourMs).toISOString() })));
  await sql`
    insert into delivered_hour as held (library_id, media_id, hour, writer, bytes)
    select "libraryId", "mediaId", hour, ${writer}::uuid, bytes
    from jsonb_to_recordset(${sent}::jsonb) as sent ("libraryId" bigint, "mediaId" uuid, hour timestamptz, bytes bigint)
    on conflict (library_id, media_id, hour, writer)
    do update set bytes = greatest(held.bytes, excluded.bytes)`.execute(db);
}

/** SQL: condition that a row `sent` of `delivered_hour` is for a whole library and an hour of this month (UTC). */
export const isTrafficOfMonth = sql<boolean>`(sent.media_id = ${WHOLE_LIBRARY}::uuid
  and sent.hour >= date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')`;

/** Bytes sent for a library in this month so far (UTC), as SQL over a row of `library`. */
export const trafficOfMonth = sql<number>`
  (select coalesce(sum(bytes), 0)::bigint from delivered_hour sent
    where sent.library_id = library.id and ${isTrafficOfMonth})`;

/** Time after which no process writes to an hour any more: the hour's rows are merged into one. */
const SETTLED = '2 days';

/** Merges the rows of an hour that several processes wrote into one. Idempotent. */
export async function mergeDelivered(db: Db): Promise<void> {
  await sql`
    with gone as (
      delete from delivered_hour where hour < now() - ${SETTLED}::interval and writer <> ${sql.lit(WHOLE_LIBRARY)}
      returning library_id, media_id, hour, bytes
    )
    insert into delivered_hour as held (library_id, media_id, hour, writer, bytes)
    select library_id, media_id, hour, ${WHOLE_LIBRARY}::uuid, sum(bytes) from gone group by 1, 2, 3
    on conflict (library_id, media_id, hour, writer) do update set bytes = held.bytes + excluded.bytes`.execute(db);
}
