import { type RawBuilder, sql } from 'kysely';
import { type Guid, newGuid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { inTransaction } from '../in-transaction.ts';
import { countTurn } from '../tasks/turn-store.ts';
import { JIT_CHANNEL } from './segment-request-store.ts';

/** The right to make segments of a rendition for viewers now, from one on. Whoever holds it renews its lease. */
export type RunClaim = {
  key: MediaKey;
  renditionId: Guid;
  timelineId: Guid;
  id: Guid;
  attempt: number;
  fromSegment: number;
  /** Excluded; the timeline may end before it. */
  toSegment: number;
  /** How often the first segment failed before. */
  failures: number;
};

/** How things stand with a run: where it must stop, up to where viewers want it, and whether one waits for it now. */
export type RunStanding = { toSegment: number; wantedTo: number | null; isAwaited: boolean };

/** Seconds that the lease of a run lasts: a dead worker's segment is begun again that soon. */
export const RUN_LEASE_SEC = 3;

/** The most that a request asks for beyond its segment. */
export const MOST_AHEAD = 3;

/** Segments of one encoder process at most. */
const RUN_SEGMENTS = 64;

/** A viewer who waits for the segment that a run makes next but one has that run; one further on gets a run of its own. */
const AWAITED_REACH = 2;
const AHEAD_REACH = MOST_AHEAD + 2;

const FIRST_RETRY_SEC = 2;
/** A segment that failed so often is not tried for viewers any more. */
export const MAX_FAULTS = 3;

/** What is known of a segment that failed. */
type Fault = { failures: number; rung: number | null; isFirst: boolean };

type Requested = MediaKey & { renditionId: Guid; timelineId: Guid; segment: number; isAwaited: boolean };

/** Where turns of libraries are counted, one a run. */
const VIEWER_QUEUE = 'viewers';

/** The most urgent segment that is wished for and that nobody makes, without taking it. */
export async function findRequested(db: Db): Promise<{ isAwaited: boolean } | null> {
  return selectRequested(db, sql`true`);
}

/**
 * Takes the most urgent segment that viewers request and nobody makes: those that are awaited first, then those of the
 * library that has had least of the encoders, then the longest wished for. Null when there is none. What another run was
 * heading for ends before this one.
 */
export async function claimRun(db: Db, owner: string): Promise<RunClaim | null> {
  for (;;) {
    const requested = await selectRequested(db, sql`true`);
    if (requested === null) return null;
    const claim = await inTransaction(db, (tx) => takeRequested(tx, requested, owner));
    // Another worker was faster: there may be something else.
    if (claim === null) continue;
    await countTurn(db, VIEWER_QUEUE, claim.key.libraryId, 1);
    return claim;
  }
}

async function takeRequested(tx: Tx, requested: Requested, owner: string): Promise<RunClaim | null> {
  const { libraryId, mediaId, renditionId, timelineId, segment } = requested;
  // As in every transaction that changes what is made of a video, its row comes first.
  await sql`select id from media where library_id = ${libraryId} and id = ${mediaId} for update`.execute(tx);
  const still = await selectRequested(tx, sql`w.rendition_id = ${renditionId} and s.segment = ${segment}`);
  if (still === null) return null;
  const here = sql`library_id = ${libraryId} and media_id = ${mediaId} and rendition_id = ${renditionId}`;
  await sql`delete from jit_run where ${here} and lease_until < now()`.execute(tx);
  await sql`update jit_run set to_segment = ${segment} where ${here} and next_segment <= ${segment}
    and to_segment > ${segment}`.execute(tx);
  const { rows } = await sql<{ id: Guid; attempt: number; to_segment: number; failures: number }>`
    insert into jit_run (library_id, media_id, rendition_id, id, attempt, next_segment, to_segment, owner, lease_until)
    select ${libraryId}::bigint, ${mediaId}::uuid, ${renditionId}::uuid, ${newGuid()}::uuid, nextval('jit_attempt'),
      ${segment}::int, least(${segment + RUN_SEGMENTS}::int,
        (select min(first_segment) from chunk where ${here} and first_segment > ${segment}),
        (select min(next_segment) from jit_run where ${here} and next_segment > ${segment}),
        (select min(segment) from jit_fault where ${here} and segment > ${segment}
          and (retry_at > now() or failures >= ${MAX_FAULTS}))),
      ${owner}, now() + make_interval(secs => ${RUN_LEASE_SEC})
    returning id, attempt, to_segment, coalesce(
      (select failures from jit_fault f where f.rendition_id = ${renditionId} and f.segment = ${segment}), 0) as failures
  `.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error(`Expected a run of rendition ${renditionId} to be written.`);
  const place = { key: { libraryId, mediaId }, renditionId, timelineId, fromSegment: segment };
  return { ...place, id: row.id, attempt: row.attempt, toSegment: row.to_segment, failures: row.failures };
}

async function selectRequested(db: Db | Tx, which: RawBuilder<unknown>): Promise<Requested | null> {
  const { rows } = await sql<Requested>`
    with requested as (select w.library_id as "libraryId", w.media_id as "mediaId", w.rendition_id as "renditionId",
      r.timeline_id as "timelineId", s.segment, bool_or(w.is_awaited and s.segment = w.segment) as "isAwaited",
      min(w.asked_at) as asked_at
    from segment_request w
    join rendition r on r.library_id = w.library_id and r.media_id = w.media_id and r.id = w.rendition_id
    cross join lateral generate_series(w.segment, w.segment + w.ahead_segments) s(segment)
    where ${which} and w.wanted_until > now() and r.on_demand and r.state = 'building' and r.init is not null
      and not exists (select from chunk c where c.rendition_id = w.rendition_id
        and int4range(c.first_segment, c.first_segment + c.segment_count) @> s.segment)
      and not exists (select from jit_run o where o.rendition_id = w.rendition_id and o.lease_until > now()
        and s.segment >= o.next_segment and s.segment < least(o.to_segment, o.next_segment
          + case when w.is_awaited and s.segment = w.segment then ${AWAITED_REACH}::int else ${AHEAD_REACH}::int end))
      and not exists (select from jit_fault f where f.rendition_id = w.rendition_id and f.segment = s.segment
        and (f.retry_at > now() or f.failures >= ${MAX_FAULTS}))
      and not exists (select from encode_task e where e.library_id = w.library_id and e.media_id = w.media_id
        and e.kind in ('video', 'audio') and e.queue = 'quick' and e.state in ('waiting', 'running')
        and w.rendition_id = any(e.rendition_ids) and s.segment >= e.from_segment and s.segment < e.to_segment)
    group by 1, 2, 3, 4, 5)
    select "libraryId", "mediaId", "renditionId", "timelineId", segment, "isAwaited"
    from requested left join encode_turn t on t.queue = ${VIEWER_QUEUE} and t.library_id = "libraryId"
    order by "isAwaited" desc, greatest(coalesce(t.pass, 0),
      (select coalesce(max(turn), 0) from encode_turn where queue = ${VIEWER_QUEUE})), asked_at, segment limit 1
  `.execute(db);
  return rows[0] ?? null;
}

/**
 * Renews the lease and answers the state; null when the run is not to go on: its rendition, or its lease, is gone.
 * It is wanted up to the last missing segment that a request within its reach names.
 */
export async function renewRun(db: Db, { id }: RunClaim): Promise<RunStanding | null> {
  const { rows } = await sql<RunStanding>`
    with renewed as (
      update jit_run set lease_until = now() + make_interval(secs => ${RUN_LEASE_SEC}) where id = ${id}
      returning rendition_id, next_segment, to_segment)
    select r.to_segment as "toSegment",
      case when count(w.segment) > 0 then coalesce(max(s.segment) + 1, r.next_segment) end as "wantedTo",
      coalesce(bool_or(w.is_awaited and w.segment >= r.next_segment
        and w.segment < r.next_segment + ${AWAITED_REACH}::int), false) as "isAwaited"
    from renewed r
    left join segment_request w on w.rendition_id = r.rendition_id and w.wanted_until > now()
      and w.segment < r.next_segment + ${AHEAD_REACH}::int and w.segment + w.ahead_segments >= r.next_segment - 1
    left join lateral generate_series(greatest(w.segment, r.next_segment),
      least(w.segment + w.ahead_segments, r.to_segment - 1, r.next_segment + ${AHEAD_REACH - 1}::int)) s(segment)
      on not exists (select from chunk c where c.rendition_id = r.rendition_id
        and int4range(c.first_segment, c.first_segment + c.segment_count) @> s.segment)
    group by r.to_segment, r.next_segment
  `.execute(db);
  return rows[0] ?? null;
}

/** Ends a run and wakes whoever may take what it leaves. Harmless when it is gone already. */
export async function endRun(db: Db, { id }: RunClaim): Promise<void> {
  await sql`
    with gone as (delete from jit_run where id = ${id} returning rendition_id)
    select pg_notify(${JIT_CHANNEL}, rendition_id::text) from gone
  `.execute(db);
}

/** Removes requests and runs that ended long ago; those of a rendition that is gone went with it. */
export async function forgetEnded(db: Db): Promise<void> {
  await sql`delete from segment_request where wanted_until < now() - interval '10 seconds'`.execute(db);
  await sql`delete from jit_run where lease_until < now() - interval '10 seconds'`.execute(db);
}

/**
 * Ends a run that failed at a segment, which then is left alone for a while, longer each time. Answers how often
 * it failed by now, the rung (null for sound), and whether it is the first of its rendition to be given up; null when the run was not
 * held any more. With `isCounted` false it is only put off.
 */
export async function failRun(
  tx: Tx,
  claim: RunClaim,
  fault: { segment: number; reason: string; isCounted: boolean },
): Promise<Fault | null> {
  const { libraryId, mediaId } = claim.key;
  // As whoever takes what is wished for: the video's row comes first.
  await sql`select id from media where library_id = ${libraryId} and id = ${mediaId} for update`.execute(tx);
  const { numAffectedRows = 0n } = await sql`delete from jit_run where id = ${claim.id}`.execute(tx);
  if (numAffectedRows === 0n) return null;
  const count = fault.isCounted ? 1 : 0;
  const { rows } = await sql<Fault>`
    insert into jit_fault as f (library_id, media_id, rendition_id, segment, failures, retry_at, reason)
    values (${libraryId}, ${mediaId}, ${claim.renditionId}, ${fault.segment}, ${count},
      now() + make_interval(secs => ${FIRST_RETRY_SEC}), ${fault.reason})
    on conflict (rendition_id, segment) do update set failures = f.failures + ${count}::int, reason = excluded.reason,
      retry_at = now() + make_interval(secs => ${FIRST_RETRY_SEC} * 2 ^ f.failures)
    returning failures, (select rung from rendition r where r.id = f.rendition_id) as rung,
      not exists (select from jit_fault o where o.rendition_id = f.rendition_id and o.segment <> f.segment
        and o.failures >= ${MAX_FAULTS}) as "isFirst"
  `.execute(tx);
  return rows[0] ?? null;
}
