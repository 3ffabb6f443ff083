import { sql } from 'kysely';
import type { Tx } from '../db.ts';
import type { Claim } from './work.ts';

/** How much the latest work counts against all before it. */
const LATEST_SHARE = 0.2;
/** Shorter works say more of starting than of speed. */
const LEAST_SEC = 0.2;

/** Notes how long a work took that has just ended well, from which waiting times are told. */
export async function measureSpeed(tx: Tx, { work: { key, id } }: Claim): Promise<void> {
  await sql`
    insert into encode_speed as s (kind, sec_per_weight)
    select ${SPEED_KIND}, greatest(${LEAST_SEC}, extract(epoch from clock_timestamp() - w.started_at)) / w.weight
    from encode_work w left join rendition r on r.id = w.rendition_ids[1]
    where w.library_id = ${key.libraryId} and w.media_id = ${key.mediaId} and w.id = ${id} and w.started_at is not null
    on conflict (kind) do update set
      sec_per_weight = (1 - ${LATEST_SHARE}::float8) * s.sec_per_weight + ${LATEST_SHARE}::float8 * excluded.sec_per_weight
  `.execute(tx);
}

/** The kind under which the speed of a work `w` with the rendition `r` is kept. */
export const SPEED_KIND = sql<string>`w.kind || coalesce('/' || r.codec, '')`;
