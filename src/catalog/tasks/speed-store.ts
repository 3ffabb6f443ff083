import { sql } from 'kysely';
import type { Db } from '../db.ts';
import type { EncodeTask } from './encode-task.ts';

/** How much the latest task counts against all before it. */
const LATEST_SHARE = 0.2;
/** Shorter tasks say more of starting than of speed. */
const LEAST_SEC = 0.2;

/** How long a task took that ended well. */
export type SpeedSample = { task: EncodeTask; tookSec: number };

/** Notes how long tasks took, from which waiting times are reported: apart from their commits, many at once. */
export async function measureSpeeds(db: Db, samples: readonly SpeedSample[]): Promise<void> {
  await sql`
    insert into encode_speed as s (kind, sec_per_weight)
    select ${SPEED_KIND}, avg(greatest(${LEAST_SEC}::float8, w.sec) / w.weight)
    from unnest(${samples.map(({ task }) => task.kind)}::text[],
      ${samples.map(({ task }) => task.renditionIds[0] ?? null)}::uuid[],
      ${samples.map(({ task }) => task.weight)}::float8[], ${samples.map(({ tookSec }) => tookSec)}::float8[])
      w(kind, rendition_id, weight, sec)
    left join rendition r on r.id = w.rendition_id group by 1 order by 1
    on conflict (kind) do update set
      sec_per_weight = (1 - ${LATEST_SHARE}::float8) * s.sec_per_weight
        + ${LATEST_SHARE}::float8 * excluded.sec_per_weight
  `.execute(db);
}

/** The kind under which the speed of a task `w` with the rendition `r` is kept. */
export const SPEED_KIND = sql<string>`w.kind || coalesce('/' || r.codec, '')`;
