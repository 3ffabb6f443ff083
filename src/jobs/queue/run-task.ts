import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { isLeaseLost, LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { failTask } from '../../catalog/lifecycle/fail-store.ts';
import { MEMORY_REASON } from '../../catalog/lifecycle/messages.ts';
import { holdEncodes, mustEncodesWait } from '../../catalog/quotas/encode-quota-store.ts';
import { ENCODES_HELD, SCHEDULED_ENCODES } from '../../catalog/quotas/quota.ts';
import { type Retrying, retryWhileAway } from '../../catalog/retry-while-away.ts';
import { keepAttemptLog } from '../../catalog/tasks/attempt-log-store.ts';
import { noteFailure, postponeTask, releaseTask } from '../../catalog/tasks/claim-store.ts';
import { type Claim, MAX_DEATHS, MAX_FAILURES } from '../../catalog/tasks/encode-task.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { reasonOf } from '../../lib/mask-paths.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import { failureLog } from '../../media/ffmpeg/failure-log.ts';
import { FfmpegFailed } from '../../media/ffmpeg/run-ffmpeg.ts';
import type { JobDeps } from '../job-deps.ts';
import { isLocalShortage, QuotaPostponed, shortageOf } from './postponement.ts';
import { logLost, taskFields } from './task-lines.ts';

/** A claimed task in progress. `report` reports its progress from 0 to 1. */
export type HeldTask = { claim: Claim; report: (fraction: number) => void };

/**
 * Performs a claimed task. It may be started again at any time (a worker died, a lease expired). The claim's attempt
 * number fences its commits. Throws on failure. `signal` aborts when the claim is lost or the worker stops.
 */
export type PerformTask = (held: HeldTask, deps: JobDeps, signal: AbortSignal) => Promise<void>;

/** Outcome of a task. `over` includes tasks that failed permanently or were lost to another worker. */
export type TaskEnd = 'done' | 'over' | 'postponed' | 'left-to-others' | 'failed-once' | 'released';

/** A commit whose outcome is unknown is not repeated, because the claim may have ended. */
const RETRYING: Retrying = { isIdempotent: false, maxPauseMs: 10_000 };

/**
 * Performs a task and records its outcome. An error is counted, and the task is tried up to three more times before it
 * fails with its reason. A problem outside the media postpones the task without counting. A task whose claim was lost
 * ends without an outcome. If the worker stops (`stopping`), the task returns to the queue. While the database is down,
 * recording the outcome waits.
 */
export async function runTask(
  held: HeldTask,
  { perform, deps }: { perform: PerformTask; deps: JobDeps },
  { lost, stopping }: { lost: AbortSignal; stopping: AbortSignal },
): Promise<TaskEnd> {
  const record = <T>(action: () => Promise<T>) => retryWhileAway(action, RETRYING, stopping);
  if (held.claim.deaths > MAX_DEATHS) {
    return record(() => endDead(deps, held.claim));
  }
  try {
    await requireEncodeQuota(deps.db, held.claim);
    await perform(held, deps, AbortSignal.any([lost, stopping]));
    return 'done';
  } catch (error) {
    if (lost.aborted || isLeaseLost(error)) return endLost(deps, held.claim);
    return record(() => recordError(deps, held.claim, error, stopping));
  }
}

/**
 * Throws `QuotaPostponed` for an encode that no viewer waits for, if its library has used its minutes of this month.
 * Then the other waiting encodes of the library wait as well, so that workers do not claim them one by one.
 */
async function requireEncodeQuota(db: Db, { task }: Claim): Promise<void> {
  const { libraryId } = task.key;
  if (!SCHEDULED_ENCODES.includes(task.kind)) return;
  if (!(await mustEncodesWait(db, libraryId))) return;
  await holdEncodes(db, libraryId);
  const resource = 'encodedMinutesPerMonth';
  metrics.quotaRefusals.inc({ resource });
  logEvent('quota.encodes-held', { libraryId, resource, reason: ENCODES_HELD });
  throw new QuotaPostponed();
}

async function endLost({ db }: JobDeps, claim: Claim): Promise<TaskEnd> {
  await logLost(db, claim);
  return 'over';
}

async function endDead(deps: JobDeps, claim: Claim): Promise<TaskEnd> {
  const reason = 'The worker died on every attempt.';
  if ((await endFailed(deps, claim, reason)) === 'lost') return endLost(deps, claim);
  logEvent('task.failed', { ...taskFields(claim), reason, retries: false });
  return 'over';
}

async function recordError(deps: JobDeps, claim: Claim, error: unknown, stopping: AbortSignal): Promise<TaskEnd> {
  if (stopping.aborted || error instanceof LeaseLost) {
    await releaseTask(deps.db, claim);
    logEvent('task.released', taskFields(claim));
    return 'released';
  }
  const shortage = shortageOf(error);
  const { kind } = claim.task;
  if (shortage !== null) {
    metrics.taskPostponements.inc({ kind, reason: shortage.kind });
    await postponeTask(deps.db, claim, shortage.reason);
    logEvent('task.postponed', { ...taskFields(claim), reason: shortage.reason });
    return isLocalShortage(error) ? 'left-to-others' : 'postponed';
  }
  const reason = describeFailure(error);
  const isLast = claim.failures + 1 >= MAX_FAILURES;
  const end = isLast ? await endFailed(deps, claim, reason) : await noteOnce(deps, claim, reason);
  if (end === 'lost') return endLost(deps, claim);
  metrics.taskFailures.inc({ kind, reason: error instanceof FfmpegFailed ? error.kind : 'other' });
  logEvent('task.failed', { ...taskFields(claim), reason, retries: !isLast, err: error });
  await keepLog(deps, claim, { reason, messages: failureLog(error) });
  return end;
}

async function noteOnce({ db }: JobDeps, claim: Claim, reason: string): Promise<TaskEnd | 'lost'> {
  return (await noteFailure(db, claim, reason)) ? 'failed-once' : 'lost';
}

/** Stores the encoder log of a failed attempt. A failure is only reported, because the outcome is already recorded. */
async function keepLog(
  { db, report }: JobDeps,
  claim: Claim,
  { reason, messages }: { reason: string; messages: string | null },
): Promise<void> {
  if (messages === null) return;
  try {
    await keepAttemptLog(db, claim.task, { reason, messages });
  } catch (cause) {
    report(new Error(`Could not store the log of a failed attempt: ${describe(claim)}.`, { cause }));
  }
}

function describe({ task }: Claim): string {
  return `Task ${task.id} (${task.kind}) of video ${task.key.mediaId}`;
}

function describeFailure(error: unknown): string {
  const reason = reasonOf(error);
  return error instanceof FfmpegFailed && error.kind === 'out-of-memory' ? `${MEMORY_REASON}${reason}` : reason;
}

async function endFailed(deps: JobDeps, claim: Claim, reason: string): Promise<TaskEnd | 'lost'> {
  try {
    await inTransaction(deps.db, (tx) => failTask(tx, claim, reason));
  } catch (error) {
    if (!isLeaseLost(error)) throw error;
    return 'lost';
  }
  return 'over';
}

/** Maximum duration in ms of a database outage during which encoded media is kept. */
const MAX_ABSENCE_MS = 60_000;

/**
 * Repeats an action of a running task while the database is down, for at most a minute, so that an outage does not lose
 * the task's work.
 */
export function throughPause<T>(action: () => Promise<T>): Promise<T> {
  return retryWhileAway(action, RETRYING, AbortSignal.timeout(MAX_ABSENCE_MS));
}
