import { sql } from 'kysely';
import type { Db } from '../db.ts';
import { storageOfLibrary } from '../libraries/library-view-store.ts';
import { WHOLE_LIBRARY } from '../statistics/sums/whole-library.ts';
import { type Forecast, forecastMonth, type MonthUsage } from './forecast.ts';
import { thisMonth } from './usage-store.ts';

/** Months in UTC, the oldest first and the current one last, and the expected values at its end. */
export type MonthlyUsage = { months: MonthUsage[]; forecast: Forecast };

/** Stores the bytes that each library uses now as those of the current month. Idempotent. */
export async function measureStorage(db: Db): Promise<void> {
  await sql`
    insert into storage_month as held (library_id, month, stored_bytes)
    select library.id, ${thisMonth}, ${storageOfLibrary} from library order by library.id
    on conflict (library_id, month) do update set stored_bytes = excluded.stored_bytes, measured_at = now()`.execute(
    db,
  );
}

/** Rounds down, as quotas do, so that a month has the same minutes in both. */
function inWholeMinutes<T extends { encodedMinutes: number }>(month: T): T {
  return { ...month, encodedMinutes: Math.floor(month.encodedMinutes) };
}

type Row = { month: string; stored_bytes: number | null; encoded_ms: number; bytes: number; now_bytes: number };

/**
 * Loads what a library used in each of the last `months` months. Months before the first recorded use are left out. The
 * current month has the present storage, earlier ones that of their last measurement.
 */
export async function loadMonths(db: Db, libraryId: number, months: number): Promise<MonthlyUsage> {
  const { rows } = await sql<Row>`
    with span as (
      select (${thisMonth} - make_interval(months => ago))::date as first_day
      from generate_series(0, ${months}::int - 1) ago
    )
    select to_char(first_day, 'YYYY-MM') as month, s.stored_bytes,
      (select coalesce(sum(e.encoded_ms), 0)::bigint from encoded_month e
        where e.library_id = library.id and e.month = first_day) as encoded_ms,
      (select coalesce(sum(sent.bytes), 0)::bigint from delivered_hour sent
        where sent.library_id = library.id and sent.media_id = ${WHOLE_LIBRARY}::uuid
          and sent.hour >= first_day::timestamp at time zone 'UTC'
          and sent.hour < (first_day + interval '1 month') at time zone 'UTC') as bytes,
      ${storageOfLibrary} as now_bytes
    from library cross join span
    left join storage_month s on s.library_id = library.id and s.month = first_day
    where library.id = ${libraryId} order by first_day`.execute(db);
  const read = rows.map(({ month, stored_bytes, encoded_ms, bytes, now_bytes }, index): MonthUsage => {
    const storageBytes = index === rows.length - 1 ? now_bytes : stored_bytes;
    return { month, storageBytes, encodedMinutes: encoded_ms / 60_000, bandwidthBytes: bytes };
  });
  const first = read.findIndex((one) => one.storageBytes !== null || one.encodedMinutes > 0 || one.bandwidthBytes > 0);
  const used = read.slice(first);
  return { months: used.map(inWholeMinutes), forecast: inWholeMinutes(forecastMonth(used, Date.now())) };
}
