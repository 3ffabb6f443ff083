import { type Selectable, sql } from 'kysely';
import type { Guid } from '../../lib/guid.ts';
import { withLogContext } from '../../lib/log/log-context.ts';
import { type EventValues, logEvent } from '../../lib/log/log-event.ts';
import type { Db } from '../db.ts';
import { leaseEnd } from '../leases/lease-store.ts';
import { percentOf, toClaim } from './claim-store.ts';
import { type Claim, ENCODING_STATES } from './encode-task.ts';
import type { TaskQueue } from './task-kind.ts';
import type { EncodeTaskTable } from './task-schema.ts';

/** Wakes idle workers: the payload is the name of one of them. */
export const TASK_CHANNEL = 'millrace_task';

export const MIN_PRIORITY = -(2 ** 31);

/** Filter for a worker's next claim: a minimum priority, and no media whose original does not fit on its disk. */
export type ClaimOptions = {
  queue: TaskQueue;
  owner: string;
  leaseSec: number;
  leastPriority: number;
  withoutMedia: readonly Guid[];
};

/**
 * Claims the next task of a queue: the most urgent one of the library that has used the queue least (start-time fair
 * queueing by weight). One index look-up, without waiting for a lock. Null if nothing is ready.
 */
export async function claimNext(db: Db, options: ClaimOptions): Promise<Claim | null> {
  const { queue, owner, leaseSec, leastPriority, withoutMedia } = options;
  const { rows } = await sql<Selectable<EncodeTaskTable>>`
    select * from claim_encode_task(${queue}, ${owner}, ${leaseSec}, ${leastPriority}::int,
      ${[...withoutMedia]}::uuid[])
  `.execute(db);
  const [row] = rows;
  return row === undefined ? null : toClaim(row, owner);
}

/** Returns whether any queue has a task that a worker may claim now. */
export async function hasReadyTasks(db: Db): Promise<boolean> {
  const found = await sql<{ isReady: boolean }>`
    select exists (select from encode_task where state = 'waiting' and is_ready) as "isReady"`.execute(db);
  return found.rows[0]?.isReady === true;
}

/** Registers a free slot of a worker in a queue: the next task that becomes ready there wakes it. */
export async function registerIdle(db: Db, queue: string, owner: string): Promise<void> {
  await sql`
    with gone as (delete from encode_idle where ctid = any (array(
      select ctid from encode_idle where queue = ${queue} and owner = ${owner} for update skip locked)))
    insert into encode_idle (queue, owner) values (${queue}, ${owner})
  `.execute(db);
}

/** Removes a worker's registrations. Otherwise a dead worker would be woken instead of a live one. */
export async function forgetIdle(db: Db, owner: string): Promise<void> {
  await sql`delete from encode_idle where owner = ${owner}`.execute(db);
}

/**
 * Marks tasks as ready whose pause has ended, and takes tasks from dead workers. Runs once a second across all workers.
 */
export async function tendTasks(db: Db, steadySec: number): Promise<void> {
  const { rows } = await sql<LostTask>`
    select lost_library as "libraryId", lost_media as "videoGuid", lost_task as "taskId", lost_kind as kind,
      lost_attempt as attempt, lost_owner as owner, lost_request as "requestId"
    from tend_encode_tasks(${steadySec}::float8)`.execute(db);
  for (const { requestId, ...task } of rows) {
    withLogContext(requestId === null ? {} : { requestId }, () => logEvent('task.lease-expired', task));
  }
}

type LostTask = EventValues<'task.lease-expired'> & { requestId: string | null };

/**
 * Recreates the rows by which tasks and uploads are claimed: they are unlogged, and lost in a crash of the database.
 */
export async function restoreShares(db: Db): Promise<void> {
  await sql`select share_encode_queues(), share_upload_queues()`.execute(db);
}

/**
 * Renews the leases of a worker's claims in one statement (a HOT update). Returns the ids of the tasks that it still
 * holds.
 */
export async function renewLeases(db: Db, claims: readonly Claim[], leaseSec: number): Promise<ReadonlySet<Guid>> {
  const { rows } = await sql<{ id: Guid }>`
    update encode_task w set lease_until = ${leaseEnd(leaseSec)}
    from unnest(${claims.map(({ task }) => task.id)}::uuid[], ${claims.map(({ attempt }) => attempt)}::int[])
      c(id, attempt)
    where w.id = c.id and w.attempt = c.attempt and w.state = 'running'
    returning w.id
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Progress of a claimed task, 0 to 1, and the last written value. */
export type TaskProgress = { claim: Claim; fraction: number; written: number };

/**
 * Writes the progress of tasks and adds the difference to the sums of their videos. Returns the ids of tasks that are
 * still held. Uses two statements, so that no lock on a task is held while waiting for a video's: a commit takes them
 * in the opposite order.
 */
export async function writeProgress(db: Db, tasks: readonly TaskProgress[]): Promise<ReadonlySet<Guid>> {
  const { rows } = await sql<{ id: Guid }>`
    update encode_task w set done_fraction = greatest(done_fraction, p.fraction)
    from unnest(${tasks.map(({ claim }) => claim.task.id)}::uuid[], ${tasks.map(({ claim }) => claim.attempt)}::int[],
      ${tasks.map(({ fraction }) => fraction)}::float8[]) p(id, attempt, fraction)
    where w.id = p.id and w.attempt = p.attempt and w.state = 'running'
    returning w.id
  `.execute(db);
  const held = new Set(rows.map(({ id }) => id));
  const sums = new Map<Guid, number>();
  for (const { claim, fraction, written } of tasks) {
    const { id, key, weight } = claim.task;
    if (held.has(id)) sums.set(key.mediaId, (sums.get(key.mediaId) ?? 0) + Math.max(0, fraction - written) * weight);
  }
  for (const [mediaId, done] of sums) await addDone(db, mediaId, done);
  return held;
}

async function addDone(db: Db, mediaId: Guid, done: number): Promise<void> {
  await sql`
    update media set encode_done = encode_done + ${done}::float8,
      encode_progress = greatest(encode_progress,
        ${percentOf(sql`encode_done + ${done}::float8`, sql`encode_total`)}),
      state_reason = case when state = 'transcoding' then 'encoding' else state_reason end
    where id = ${mediaId} and state = any (${ENCODING_STATES})
  `.execute(db);
}
