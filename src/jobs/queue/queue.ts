import type pg from 'pg';
import { type Db as BossDb, fromKysely, type JobWithMetadata, PgBoss } from 'pg-boss';
import type { Tx } from '../../catalog/db.ts';
import { listen } from '../../catalog/listen-store.ts';
import { allowRetry, findDueQueues, JOB_SCHEMA } from '../../catalog/system/job-queue-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { currentRequestId, withLogContext } from '../../lib/log/log-context.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { maskPaths, reasonOf } from '../../lib/mask-paths.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';
import type { Job, Queue } from './define-job.ts';
import { describeFailure } from './describe-failure.ts';
import { IdleSlots } from './idle-slots.ts';
import { shortageOf } from './postponement.ts';
import { watchDelayed } from './watch-delayed.ts';

const QUEUES = ['quick', 'long', 'fetch', 'housekeeping', 'export'] as const;
const GIVEN_UP = 'given-up';

/**
 * Time in seconds after the last heartbeat of a worker at which it counts as dead. This is the minimum that pg-boss
 * allows.
 */
const HEARTBEAT_SEC = 10;
const HEARTBEAT_REFRESH_SEC = 2;
const POLL_SEC = 0.5;
/** Poll interval of a slot in seconds if notifications announce new jobs. `watchDelayed` finds delayed ones. */
const TOLD_POLL_SEC = 60;
/** Interval of the search for jobs of dead workers in seconds, in addition to `HEARTBEAT_SEC`. */
const SUPERVISE_SEC = 5;
const MAX_RUN_SEC = 24 * 3600 - 1;
const MAX_RETRY_PAUSE_SEC = 120;
/** One slot for jobs that scan the store and one for deletes. */
const HOUSEKEEPING_SLOTS = 2;
const DRAIN_MS = 5_000;

/** A job in the queue. `requestId` identifies the API request that sent it, for log lines. */
type Envelope = { job: string; payload: object; requestId?: string };

/**
 * A job with its types erased, as the runner uses it. The compiler checks payload and dependencies in the list of jobs.
 */
export type AnyJob<Deps> = Job<never, Deps>;

/**
 * Maximum number of concurrent jobs of each queue in a worker. Without `fetchSlots` or `exportSlots`, it runs none of
 * these jobs. Each worker also has separate slots for housekeeping.
 */
export type Slots = { quickSlots: number; longSlots: number; fetchSlots?: number; exportSlots?: number };

/** An open queue. `run` starts the slots of a worker. `close` aborts the running jobs and returns them to the queue. */
export type JobQueue = Queue & {
  run<Deps>(jobs: readonly AnyJob<Deps>[], deps: Deps, slots: Slots): Promise<void>;
  close(): Promise<void>;
};

/**
 * `isGone` returns whether the video or library of a job was deleted. An error of such a job is not a failure, and the
 * job is not retried.
 */
export type QueueOptions = {
  pool: pg.Pool;
  onError: (error: Error) => void;
  isGone?: (payload: object) => Promise<boolean>;
};

/** Opens the queue only for sending, without a listener or supervision. */
export async function openSendOnlyQueue(options: QueueOptions): Promise<JobQueue> {
  return openBoss(options, false);
}

/** Opens the queue for sending and running jobs. */
export async function openQueue(options: QueueOptions): Promise<JobQueue> {
  return openBoss(options, true);
}

async function openBoss(
  { pool, onError, isGone = async () => false }: QueueOptions,
  tasks: boolean,
): Promise<JobQueue> {
  const boss = new PgBoss({
    db: bossDatabase(pool, onError),
    schema: JOB_SCHEMA,
    useListenNotify: tasks,
    supervise: tasks,
    // Nothing reads the warnings of pg-boss about dead rows.
    monitorVacuum: false,
    schedule: tasks,
    superviseIntervalSeconds: SUPERVISE_SEC,
    monitorIntervalSeconds: SUPERVISE_SEC,
    cronMonitorIntervalSeconds: 10,
    cronWorkerIntervalSeconds: 5,
  });
  boss.on('error', onError);
  await boss.start();
  await createQueues(boss);
  const stopping = new AbortController();
  return {
    send: (job, payload, options = {}) => {
      const requestId = currentRequestId();
      const data: Envelope = { job: job.name, payload, ...(requestId !== null && { requestId }) };
      return async (tx: Tx) => {
        await boss.send(job.queue, data, {
          db: fromKysely(tx),
          retryLimit: job.retryLimit,
          singletonKey: `${job.name}:${options.onlyOneNamed ?? newGuid()}`,
          priority: options.priority ?? job.priority ?? 0,
          ...(options.delaySec === undefined ? {} : { startAfter: options.delaySec }),
        });
      };
    },
    run: (jobs, deps, slots) =>
      startSlots(boss, { jobs, deps, slots, stopping: stopping.signal, pool, isGone, onError }),
    async close() {
      // Stop the slots before their jobs end. Otherwise they would take more jobs.
      const slotsEnd = Promise.all([...QUEUES, GIVEN_UP].map((queue) => boss.offWork(queue, { wait: false })));
      stopping.abort(new Error('The worker is stopping.'));
      await slotsEnd;
      await boss.stop({ graceful: true, timeout: DRAIN_MS, close: true });
    },
  };
}

/** Lets pg-boss use our connection pool. pg-boss must not close a pool that it does not own. */
function bossDatabase(pool: pg.Pool, onError: (error: Error) => void): BossDb {
  return {
    executeSql: (text, values) => pool.query(text, values),
    listen: (channel, onPayload, onReconnect) =>
      listen(pool, channel, { onPayload, onConnected: onReconnect, onError }),
  };
}

async function createQueues(boss: PgBoss): Promise<void> {
  const shared = {
    policy: 'exclusive',
    notify: true,
    expireInSeconds: MAX_RUN_SEC,
    heartbeatSeconds: HEARTBEAT_SEC,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: MAX_RETRY_PAUSE_SEC,
    deleteAfterSeconds: 3600,
  };
  await boss.createQueue(GIVEN_UP, { ...shared, policy: 'standard', retryLimit: 20 });
  for (const queue of QUEUES) await boss.createQueue(queue, { ...shared, deadLetter: GIVEN_UP });
}

type Running<Deps> = Required<QueueOptions> & {
  jobs: readonly AnyJob<Deps>[];
  deps: Deps;
  slots: Slots;
  stopping: AbortSignal;
};

async function startSlots<Deps>(boss: PgBoss, running: Running<Deps>): Promise<void> {
  const { quickSlots: quick, longSlots: long, fetchSlots: fetch = 0, exportSlots = 0 } = running.slots;
  // Prometheus sees no increase if a series appears only with its first job, so all series start at 0.
  for (const { name: job } of running.jobs) metrics.jobDuration.zero({ job });
  await scheduleCrons(boss, running.jobs);
  const counts = { quick, long, fetch, housekeeping: HOUSEKEEPING_SLOTS, export: exportSlots };
  const slots = new Map<string, IdleSlots>();
  const starts = Object.entries({ ...counts, [GIVEN_UP]: 1 }).map(async ([queue, count]) => {
    const idle = new IdleSlots((slot) => boss.notifyWorker(slot));
    slots.set(queue, idle);
    await Promise.all(Array.from({ length: count }, () => startSlot(boss, running, { queue, idle })));
  });
  await Promise.all(starts);
  const { pool, onError, stopping } = running;
  watchDelayed({ slots, findDue: (queues) => findDueQueues(pool, queues), report: onError }, stopping);
}

async function scheduleCrons<Deps>(boss: PgBoss, jobs: readonly AnyJob<Deps>[]): Promise<void> {
  for (const job of jobs) {
    if (job.cron === undefined) continue;
    const data: Envelope = { job: job.name, payload: {} };
    // A job that moved to another queue in a later version must not be scheduled in both.
    for (const queue of QUEUES) if (queue !== job.queue) await boss.unschedule(queue, job.name);
    await boss.schedule(job.queue, job.cron, data, { key: job.name, singletonKey: `${job.name}:cron` });
  }
}

/**
 * Starts a slot, which runs one job at a time. After a job, it looks for the next one immediately and does not wait for
 * its poll.
 */
async function startSlot<Deps>(
  boss: PgBoss,
  running: Running<Deps>,
  { queue, idle }: { queue: string; idle: IdleSlots },
): Promise<void> {
  let workerId = '';
  let runs = false;
  const options = {
    includeMetadata: true,
    heartbeatRefreshSeconds: HEARTBEAT_REFRESH_SEC,
    pollingIntervalSeconds: POLL_SEC,
    notifyPollingIntervalSeconds: TOLD_POLL_SEC,
  } as const;
  workerId = await boss.work<Envelope, void, typeof options>(queue, options, async ([job]) => {
    if (job === undefined) return;
    runs = true;
    idle.begin(workerId);
    try {
      const { requestId } = job.data;
      const isDead = queue === GIVEN_UP;
      const run = () => (isDead ? giveUp(running, job.data, deathReason(job)) : runOne(running, job));
      await withLogContext(requestId === undefined ? {} : { requestId }, run);
    } finally {
      runs = false;
      idle.end(workerId);
    }
  });
  if (!runs) idle.end(workerId);
}

async function runOne<Deps>(running: Running<Deps>, job: JobWithMetadata<Envelope>): Promise<void> {
  const found = running.jobs.find(({ name }) => name === job.data.job);
  if (found === undefined) return await returnUnknown(running.pool, job);
  const signal = AbortSignal.any([job.signal, running.stopping]);
  const ended = metrics.jobDuration.startTimer({ job: found.name });
  let outcome = 'done';
  const line = { name: found.name, jobId: job.id };
  const attempt = job.retryCount + 1;
  const startedMs = performance.now();
  logEvent('job.begun', { ...line, attempt });
  try {
    // `send` wrote the payload for this job, so the payload has the expected type.
    await found.run(job.data.payload as never, running.deps, signal);
    logEvent('job.finished', { ...line, durationSec: (performance.now() - startedMs) / 1000 });
  } catch (error) {
    const postponement = shortageOf(error);
    outcome = postponement !== null ? 'postponed' : signal.aborted ? 'released' : 'failed';
    if (postponement === null && (await isCanceled(running, found, job.data.payload))) {
      outcome = 'canceled';
      logEvent('job.canceled', { ...line, reason: reasonOf(error) });
      return;
    }
    if (postponement !== null) metrics.taskPostponements.inc({ kind: found.name, reason: postponement.kind });
    // The pauses of a postponed job grow as after failures, but it is retried without limit.
    if (postponement !== null) await allowRetry(running.pool, job);
    if (error instanceof Refused && postponement === null) {
      if (found.giveUp === undefined)
        logEvent('job.failed', { ...line, attempt, retries: false, err: describeFailure(error, job.data) });
      await giveUp(running, job.data, error.message);
      return;
    }
    if (signal.aborted) logEvent('job.returned', line);
    else if (postponement !== null) logEvent('job.postponed', { ...line, reason: postponement.reason });
    else {
      const retries = job.retryCount < job.retryLimit;
      logEvent('job.failed', { ...line, attempt, retries, err: describeFailure(error, job.data) });
    }
    throw error;
  } finally {
    ended();
    metrics.jobEnds.inc({ job: found.name, outcome });
  }
}

/** Returns a job that only a newer version defines to the queue, for a newer worker. It is retried without limit. */
async function returnUnknown(pool: pg.Pool, job: JobWithMetadata<Envelope>): Promise<never> {
  const reason = `Expected a job that this version defines, got "${job.data.job}".`;
  await allowRetry(pool, job);
  logEvent('job.postponed', { name: job.data.job, jobId: job.id, reason });
  throw new Error(reason);
}

/**
 * Returns whether a failed job can be ignored because its video or library was deleted. Errors of housekeeping jobs are
 * never ignored, because these jobs clean up after deletions.
 */
async function isCanceled<Deps>(running: Running<Deps>, job: AnyJob<Deps>, payload: object): Promise<boolean> {
  if (job.queue === 'housekeeping') return false;
  try {
    return await running.isGone(payload);
  } catch {
    // The database is down, so the error of the job is reported.
    return false;
  }
}

async function giveUp<Deps>(running: Running<Deps>, envelope: Envelope, reason: string): Promise<void> {
  const found = findJob(running.jobs, envelope);
  logEvent('job.given-up', { name: found.name, reason });
  await found.giveUp?.(envelope.payload as never, running.deps, maskPaths(reason));
}

function findJob<Deps>(jobs: readonly AnyJob<Deps>[], { job: name }: Envelope): AnyJob<Deps> {
  const found = jobs.find((job) => job.name === name);
  if (found === undefined) throw new Error(`Expected a job that this version defines, got "${name}".`);
  return found;
}

function deathReason(job: JobWithMetadata<Envelope>): string {
  const output: unknown = job.sourceOutput;
  if (typeof output === 'object' && output !== null && 'message' in output) return String(output.message);
  return 'The job was tried too often without a result.';
}
