import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import type { Db, MediaKey, Tx } from '../db.ts';
import { LeaseLost } from '../leases/lease-lost.ts';
import { leaseEnd } from '../leases/lease-store.ts';
import { type Claim, ENCODING_STATES, type EncodeTask, WAITING_FOR_SLOT } from './encode-task.ts';
import { BESIDE_KINDS } from './task-kind.ts';
import type { EncodeTaskTable } from './task-schema.ts';

/** Pause after the first failure, in s, which doubles with each later one, and the maximum pause. */
const FIRST_PAUSE_SEC = 1;
const MAX_PAUSE_SEC = 120;
/** Maximum pause of segments that viewers wait for, in s. */
const MAX_VIEWER_PAUSE_SEC = 2;

/**
 * Claims a waiting encode task by id, for work done within the transaction that planned it. Null if another worker has
 * claimed it, or the task has ended.
 */
export async function claimTask(tx: Tx, key: MediaKey, taskId: Guid, owner: string): Promise<Claim | null> {
  const { rows } = await sql<Selectable<EncodeTaskTable>>`
    update encode_task set state = 'running', attempt = nextval('encode_attempt'), owner = ${owner}, reason = null,
      started_at = now(), lease_until = ${leaseEnd(3600)}
    where library_id = ${key.libraryId} and media_id = ${key.mediaId} and id = ${taskId} and state = 'waiting'
    returning *
  `.execute(tx);
  const [row] = rows;
  return row === undefined ? null : toClaim(row, owner);
}

/** Converts a claimed row to a claim: the task, and the attempt number that fences its commits. */
export function toClaim(row: Selectable<EncodeTaskTable>, owner: string): Claim {
  return {
    task: toTask(row),
    attempt: row.attempt,
    failures: row.failures,
    deaths: row.deaths,
    owner,
    requestId: row.request_id,
  };
}

/**
 * Recalculates the sums behind a video's progress from its encode tasks. Progress never decreases, and only the finish
 * sets 100. Between commits `writeProgress` maintains the sums (docs/decisions/280-progress-sums.md).
 */
export async function refreshProgress(db: Db | Tx, { libraryId, mediaId }: MediaKey): Promise<void> {
  await sql`
    update media set encode_done = s.done, encode_total = s.total,
      encode_progress = greatest(encode_progress, ${percentOf(sql`s.done`, sql`s.total`)}),
      state_reason = case when state = 'transcoding' then 'encoding' else state_reason end
    from (
      select coalesce(sum(weight), 0) as total, coalesce(sum(weight * done_fraction), 0) as done from encode_task
      where library_id = ${libraryId} and media_id = ${mediaId} and kind <> all (${BESIDE_KINDS}::text[])
    ) s
    where library_id = ${libraryId} and id = ${mediaId} and state = any (${ENCODING_STATES})
  `.execute(db);
}

/** Returns progress in whole percent, rounded down; at most 99 before the video is finished. */
export function percentOf(done: RawBuilder<unknown>, total: RawBuilder<unknown>): RawBuilder<number> {
  return sql`case when ${total} > 0 then least(99, floor(100 * (${done}) / ${total}))::int else 0 end`;
}

/** Releases an interrupted task without counting a failure. */
export async function releaseTask(db: Db | Tx, claim: Claim): Promise<void> {
  await giveBack(db, claim, sql`reason = ${WAITING_FOR_SLOT}, is_ready = true`);
}

/**
 * Releases an encode task that is blocked by something outside the video, and sets the reason as the video's. The task
 * is retried after pauses that double from a second to minutes, without counting a failure.
 */
export async function postponeTask(db: Db, claim: Claim, reason: string): Promise<void> {
  const longestSec = claim.task.kind === 'segment' ? MAX_VIEWER_PAUSE_SEC : MAX_PAUSE_SEC;
  await giveBack(
    db,
    claim,
    sql`reason = ${reason}, postponements = postponements + 1, is_ready = false, ready_at = now() + make_interval(
      secs => least(${longestSec}, ${FIRST_PAUSE_SEC} * 2 ^ least(postponements, 12)))`,
  );
  await db
    .updateTable('media')
    .set({ state_reason: reason })
    .where('library_id', '=', claim.task.key.libraryId)
    .where('id', '=', claim.task.key.mediaId)
    .where('state', '=', 'transcoding')
    .execute();
}

/** Records that an attempt failed; the encode task waits for its next one. Returns false if the claim was lost. */
export async function noteFailure(db: Db, claim: Claim, reason: string): Promise<boolean> {
  const pauseSec = FIRST_PAUSE_SEC * 2 ** claim.failures;
  return giveBack(
    db,
    claim,
    sql`reason = ${reason}, failures = failures + 1, is_ready = false,
      ready_at = now() + make_interval(secs => ${pauseSec})`,
  );
}

async function giveBack(db: Db | Tx, { task, attempt }: Claim, how: ReturnType<typeof sql>): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update encode_task set state = 'waiting', owner = null, lease_until = null, ${how}
    where library_id = ${task.key.libraryId} and media_id = ${task.key.mediaId} and id = ${task.id}
      and state = 'running' and attempt = ${attempt}
  `.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Locks a claim until the transaction ends. Returns the current renditions of its encode task. Throws LeaseLost if the
 * claim is no longer valid.
 */
export async function lockClaim(tx: Tx, claim: Claim): Promise<Pick<EncodeTask, 'renditionIds'>> {
  const row = await tx
    .selectFrom('encode_task')
    .select('rendition_ids')
    .where('library_id', '=', claim.task.key.libraryId)
    .where('media_id', '=', claim.task.key.mediaId)
    .where('id', '=', claim.task.id)
    .where('state', '=', 'running')
    .where('attempt', '=', claim.attempt)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) throw claimLost(claim);
  return { renditionIds: row.rendition_ids };
}

/** Returns the error for a late or duplicate worker. */
export function claimLost({ task, attempt }: Claim): LeaseLost {
  return new LeaseLost(`Attempt ${attempt} of encode task ${task.id} may no longer publish.`);
}

/** Returns whether an encode task exists. Those of a deleted video, and of a replaced plan, do not. */
export async function hasTask(db: Db, id: Guid): Promise<boolean> {
  return (await db.selectFrom('encode_task').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** Marks a claimed task as ended, within the transaction that holds `lockClaim`. */
export async function endTask(tx: Tx, claim: Claim, state: 'done' | 'failed', reason: string | null): Promise<void> {
  await tx
    .updateTable('encode_task')
    .set({ state, reason, owner: null, lease_until: null, done_fraction: 1 })
    .where('library_id', '=', claim.task.key.libraryId)
    .where('media_id', '=', claim.task.key.mediaId)
    .where('id', '=', claim.task.id)
    .execute();
}

/** Converts a row to its encode task. */
function toTask(row: Selectable<EncodeTaskTable>): EncodeTask {
  return {
    key: { libraryId: row.library_id, mediaId: row.media_id },
    id: row.id,
    timelineId: row.timeline_id,
    kind: row.kind,
    renditionIds: row.rendition_ids,
    fromSegment: row.from_segment,
    toSegment: row.to_segment,
    isFirst: row.is_first,
    queue: row.queue,
    priority: row.priority,
    weight: row.weight,
  };
}
