import { sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, Tx } from '../db.ts';
import { leaseEnd } from '../leases/lease-store.ts';
import {
  AHEAD_PRIORITY,
  AWAITED_PRIORITY,
  type Claim,
  MAX_DEATHS,
  SEGMENT_LEASE_SEC,
  WAITING_FOR_SLOT,
} from '../tasks/encode-task.ts';

/**
 * Next work of a segment task: its first missing segment, the segment (exclusive) where another task begins or one is
 * stored, the last segment that viewers request, and whether a viewer waits for it now.
 */
export type SegmentDemand = {
  nextSegment: number;
  toSegment: number;
  requestedTo: number | null;
  isAwaited: boolean;
};

/** Maximum number of segments that a request covers in addition to its own segment. */
export const MAX_AHEAD_SEGMENTS = 3;

/** Maximum number of segments of one encoder process. */
const TASK_SEGMENTS = 64;

/**
 * A task serves viewers who wait for a segment at most this many segments after its next one. Viewers further ahead get
 * a separate task.
 */
const AWAITED_REACH = 2;
const AHEAD_REACH = MAX_AHEAD_SEGMENTS + 2;

/** Returns the condition that segment `s` of rendition `r` is stored. */
const isStored = (s: string, r: string) =>
  sql.raw(`exists (select from chunk c where c.rendition_id = ${r}
    and int4range(c.first_segment, c.first_segment + c.segment_count) @> ${s})`);

/**
 * Pause before a segment whose workers all lost their leases is retried, in seconds. A slow database causes that too,
 * so a retry may succeed. The pause bounds a crash loop.
 */
const LOST_PAUSE_SEC = 120;
/** Condition that task `t` failed some time ago because its workers were lost, and not because of an error. */
const mayBeTriedAgain = sql`(t.deaths > ${sql.lit(MAX_DEATHS)}
  and t.started_at < now() - make_interval(secs => ${sql.lit(LOST_PAUSE_SEC)}))`;

/**
 * Writes a task for the first segment of each request that is neither stored nor about to be made by another task. A
 * task whose worker died is released, a waiting one becomes as urgent as its viewers, and one whose workers were all
 * lost is retried after a pause. Idempotent.
 */
export async function planSegmentTasks(db: Db | Tx, renditionIds: readonly Guid[]): Promise<void> {
  await sql`
    with missing as (
      select distinct on (w.rendition_id, w.segment, w.edge_id) w.library_id, w.media_id, w.rendition_id, r.timeline_id,
        s.segment, d.priority
      from segment_request w
      join rendition r on r.library_id = w.library_id and r.media_id = w.media_id and r.id = w.rendition_id
      cross join lateral generate_series(w.segment, w.segment + w.ahead_segments) s(segment)
      cross join lateral (select w.is_awaited and s.segment = w.segment as awaited) a
      cross join lateral (select case when a.awaited then ${AWAITED_REACH}::int else ${AHEAD_REACH}::int end as reach,
        case when a.awaited then ${AWAITED_PRIORITY}::int else ${AHEAD_PRIORITY}::int end as priority) d
      where w.rendition_id = any(${[...renditionIds]}::uuid[]) and w.wanted_until > now()
        and r.on_demand and r.state = 'building' and r.init is not null
        and not ${isStored('s.segment', 'w.rendition_id')}
        and not exists (select from encode_task t where t.kind = 'segment' and t.rendition_ids[1] = w.rendition_id
          and t.library_id = w.library_id and t.media_id = w.media_id
          and s.segment >= t.from_segment and s.segment < t.to_segment
          and case t.state when 'failed' then s.segment = t.from_segment and not ${mayBeTriedAgain}
            when 'running' then t.lease_until > now() else t.priority >= d.priority end
          and s.segment < d.reach + (select min(g) from generate_series(t.from_segment, s.segment) g
            where not ${isStored('g', 'w.rendition_id')}))
        and not exists (select from encode_task e where e.library_id = w.library_id and e.media_id = w.media_id
          and e.kind in ('video', 'audio') and e.queue = 'quick' and e.state in ('waiting', 'running')
          and w.rendition_id = any(e.rendition_ids) and s.segment >= e.from_segment and s.segment < e.to_segment)
      order by w.rendition_id, w.segment, w.edge_id, s.segment)
    insert into encode_task as t (library_id, media_id, id, timeline_id, kind, rendition_ids, from_segment, to_segment,
      queue, priority, weight, state, reason)
    select library_id, media_id, gen_random_uuid(), timeline_id, 'segment', array[rendition_id], segment,
      segment + ${TASK_SEGMENTS}::int, 'viewers', max(priority), 1, 'waiting', ${WAITING_FOR_SLOT}
    from missing group by library_id, media_id, timeline_id, rendition_id, segment order by rendition_id, segment
    on conflict ((rendition_ids[1]), from_segment) where kind = 'segment' do update
    set priority = greatest(t.priority, excluded.priority),
      deaths = case t.state when 'failed' then 0 else t.deaths + (t.state = 'running')::int end,
      state = 'waiting', owner = null, lease_until = null
    where (t.state = 'running' and t.lease_until < now()) or (t.state = 'waiting' and t.priority < excluded.priority)
      or (t.state = 'failed' and ${mayBeTriedAgain})
  `.execute(db);
}

/** Returns whether a viewer waits for one of the segment tasks that wait for a slot, or null if no task waits. */
export async function findWaitingSegment(db: Db): Promise<{ isAwaited: boolean } | null> {
  const { rows } = await sql<{ priority: number | null }>`
    select max(priority) as priority from encode_task where queue = 'viewers' and state = 'waiting' and is_ready
  `.execute(db);
  const priority = rows[0]?.priority ?? null;
  return priority === null ? null : { isAwaited: priority >= AWAITED_PRIORITY };
}

/**
 * Renews the lease and returns the demand. Returns null if the task must stop because its rendition or lease was lost,
 * or everything is stored. The demand extends to the last missing segment of a request within its reach.
 */
export async function renewSegmentTask(db: Db, { task, attempt }: Claim): Promise<SegmentDemand | null> {
  const { rows } = await sql<SegmentDemand>`
    with renewed as (
      update encode_task t set lease_until = ${leaseEnd(SEGMENT_LEASE_SEC)}
      where library_id = ${task.key.libraryId} and media_id = ${task.key.mediaId} and id = ${task.id}
        and state = 'running' and attempt = ${attempt}
      returning rendition_ids[1] as rendition_id, from_segment, to_segment),
    own as (
      select n.rendition_id, next.segment as next_segment, least(n.to_segment,
        (select min(first_segment) from chunk c where c.rendition_id = n.rendition_id and first_segment > next.segment),
        (select min(from_segment) from encode_task o where o.kind = 'segment' and o.rendition_ids[1] = n.rendition_id
          and o.from_segment > next.segment)) as to_segment
      from renewed n
      join rendition r on r.library_id = ${task.key.libraryId} and r.media_id = ${task.key.mediaId}
        and r.id = n.rendition_id and r.on_demand and r.state = 'building'
      cross join lateral (select min(g) as segment from generate_series(n.from_segment, n.to_segment - 1) g
        where not ${isStored('g', 'n.rendition_id')}) next
      where next.segment is not null)
    select o.next_segment as "nextSegment", o.to_segment as "toSegment",
      case when count(w.segment) > 0 then coalesce(max(s.segment) + 1, o.next_segment) end as "requestedTo",
      coalesce(bool_or(w.is_awaited and w.segment >= o.next_segment
        and w.segment < o.next_segment + ${AWAITED_REACH}::int), false) as "isAwaited"
    from own o
    left join segment_request w on w.rendition_id = o.rendition_id and w.wanted_until > now()
      and w.segment < o.next_segment + ${AHEAD_REACH}::int and w.segment + w.ahead_segments >= o.next_segment - 1
    left join lateral generate_series(greatest(w.segment, o.next_segment),
      least(w.segment + w.ahead_segments, o.to_segment - 1, o.next_segment + ${AHEAD_REACH - 1}::int)) s(segment)
      on not ${isStored('s.segment', 'o.rendition_id')}
    group by o.to_segment, o.next_segment
  `.execute(db);
  return rows[0] ?? null;
}

/** Removes an ended task, and plans tasks for the segments that viewers request beyond it. Idempotent. */
export async function endSegmentTask(db: Db, { task, attempt }: Claim): Promise<void> {
  await sql`delete from encode_task where library_id = ${task.key.libraryId} and media_id = ${task.key.mediaId}
    and id = ${task.id} and state = 'running' and attempt = ${attempt}`.execute(db);
  await planSegmentTasks(db, task.renditionIds);
}

/** Removes requests that expired at least 10 s ago. Those of a deleted rendition were deleted with it. */
export async function forgetEnded(db: Db): Promise<void> {
  await sql`delete from segment_request where wanted_until < now() - interval '10 seconds'`.execute(db);
}
