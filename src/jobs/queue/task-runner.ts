import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { listen } from '../../catalog/listen-store.ts';
import {
  AHEAD_PRIORITY,
  AWAITED_PRIORITY,
  type Claim,
  LEASES,
  type LeaseTimes,
  SEGMENT_LEASE_SEC,
} from '../../catalog/tasks/encode-task.ts';
import type { TaskKind, TaskQueue } from '../../catalog/tasks/task-kind.ts';
import {
  claimNext,
  forgetIdle,
  hasReadyTasks,
  MIN_PRIORITY,
  registerIdle,
  renewLeases,
  restoreShares,
  TASK_CHANNEL,
  tendTasks,
  writeProgress,
} from '../../catalog/tasks/task-store.ts';
import { measureSpeeds, type SpeedSample } from '../../catalog/videos/outlook-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { withLogContext } from '../../lib/log/log-context.ts';
import { metrics } from '../../lib/metrics/metrics.ts';
import type { JobDeps } from '../job-deps.ts';
import { AvoidedMedia } from './avoided-media.ts';
import { type PerformTask, runTask } from './run-task.ts';
import { logClaim, logDone } from './task-lines.ts';
import { beginTaskMetrics, countTaskEnd } from './task-metrics.ts';

/**
 * Interval in ms at which free slots look for tasks even without a notification, because the connection for
 * notifications may have failed silently.
 */
const POLL_MS = 5_000;
/** Number of polls after which free slots are registered again, because registrations expire after a minute. */
const POLLS_PER_REGISTRATION = 4;
const TEND_MS = 2_000;
const PROGRESS_MS = 3_000;
const DRAIN_MS = 5_000;
const MAX_SAMPLES = 200;
const QUEUES: readonly TaskQueue[] = ['viewers', 'quick', 'long'];

/** Maximum number of concurrent tasks of each queue in a worker. */
export type TaskSlots = Readonly<Record<TaskQueue, number>>;

export type RunnerOptions = {
  deps: JobDeps;
  /** Pool whose settings are used for the separate connection that receives notifications. */
  pool: Parameters<typeof listen>[0];
  slots: TaskSlots;
  tasks: Readonly<Record<TaskKind, PerformTask>>;
  leases?: LeaseTimes;
};

/** Runs encode tasks until `close` is called, which aborts the running tasks and returns them to the queue. */
export type TaskRunner = { close(): Promise<void> };

/** Starts to claim and run encode tasks, as many concurrently as there are slots. */
export async function startTaskRunner(options: RunnerOptions): Promise<TaskRunner> {
  const runner = new Runner(options);
  await restoreShares(options.deps.db);
  const subscription = await listen(options.pool, TASK_CHANNEL, {
    onPayload: (name) => runner.onNotify(name),
    onConnected: () => runner.fill(),
    onError: options.deps.report,
  });
  runner.start();
  return {
    async close() {
      await subscription.close();
      await runner.close();
    },
  };
}

type Running = {
  claim: Claim;
  lost: AbortController;
  ended: Promise<void>;
  /** Time at which the last successful renewal was sent, on the clock of `performance.now`. */
  renewedMs: number;
  fraction: number;
  written: number;
};

class Runner {
  readonly #options: RunnerOptions;
  readonly #leases: LeaseTimes;
  /** Name that identifies the runner in notifications. */
  readonly #name = newGuid();
  /** Running tasks by attempt number. */
  readonly #running = new Map<number, Running>();
  readonly #avoided = new AvoidedMedia();
  readonly #stopping = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #inFlight = new Set<string>();
  #samples: SpeedSample[] = [];
  #filling: Promise<void> | null = null;
  #isStale = false;
  #polls = 0;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#leases = options.leases ?? LEASES;
  }

  start(): void {
    const { db } = this.#options.deps;
    beginTaskMetrics(Object.keys(this.#options.tasks));
    const every = (ms: number, name: string, action: () => Promise<void>) =>
      this.#timers.push(setInterval(() => void this.#once(name, action), ms));
    every(POLL_MS, 'poll', () => this.#poll());
    every(TEND_MS, 'tend', () => tendTasks(db, this.#leases.steadySec));
    every(PROGRESS_MS, 'progress', () => this.#writeProgress());
    every(this.#leases.renewMs, 'renew', () => this.#renew());
    this.#timers.push(setInterval(() => this.#loseExpired(), 1_000));
  }

  onNotify(name: string): void {
    if (name === this.#name) this.fill();
  }

  /** Claims tasks for all free slots. Calls during a run cause one more run afterwards. */
  fill(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isStale = this.#filling !== null;
    this.#filling ??= this.#fillAll()
      .catch((cause: unknown) => this.#report('Encode tasks could not be claimed.', cause))
      .finally(() => {
        this.#filling = null;
        if (this.#isStale) this.fill();
      });
  }

  async #poll(): Promise<void> {
    this.#polls += 1;
    const isDue = this.#polls % POLLS_PER_REGISTRATION === 0;
    if (isDue || (await hasReadyTasks(this.#options.deps.db))) this.fill();
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort(new Error('The worker is stopping.'));
    await this.#filling;
    // If the database is down, the worker's rows remain. They expire after a minute.
    const { db, report } = this.#options.deps;
    const forgotten = forgetIdle(db, this.#name).catch((cause: unknown) =>
      report(new Error('Could not record that a worker stopped.', { cause })),
    );
    const ended = Promise.all([forgotten, ...[...this.#running.values()].map((task) => task.ended)]);
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, DRAIN_MS);
    await Promise.race([ended, late.promise]);
    clearTimeout(timer);
  }

  async #fillAll(): Promise<void> {
    for (const queue of QUEUES) {
      while (!this.#stopping.signal.aborted && this.#freeSlots(queue) > 0) {
        const claim = await this.#claim(queue);
        if (claim === null) break;
        this.#begin(claim);
      }
    }
  }

  #freeSlots(queue: TaskQueue): number {
    const running = [...this.#running.values()].filter(({ claim }) => claim.task.queue === queue).length;
    return this.#options.slots[queue] - running;
  }

  async #claim(queue: TaskQueue): Promise<Claim | null> {
    const claim = await this.#claimMostUrgent(queue);
    if (claim !== null) return claim;
    await registerIdle(this.#options.deps.db, queue, this.#name);
    // Claim again: tasks that were ready before the registration notified no worker.
    return this.#claimMostUrgent(queue);
  }

  /**
   * Claims segments that a viewer waits for first, from any library. Claims no backfill while viewers need the
   * processors.
   */
  async #claimMostUrgent(queue: TaskQueue): Promise<Claim | null> {
    const { db, owner, segments } = this.#options.deps;
    const leaseSec = queue === 'viewers' ? SEGMENT_LEASE_SEC : this.#leases.leaseSec;
    const options = { queue, owner, leaseSec, withoutMedia: this.#avoided.list() };
    const leastPriority = segments.servesViewers() ? AHEAD_PRIORITY : MIN_PRIORITY;
    const awaited = queue === 'viewers' ? await claimNext(db, { ...options, leastPriority: AWAITED_PRIORITY }) : null;
    return awaited ?? claimNext(db, { ...options, leastPriority });
  }

  #begin(claim: Claim): void {
    const lost = new AbortController();
    const nowMs = performance.now();
    const task: Running = { claim, lost, renewedMs: nowMs, fraction: 0, written: 0, ended: Promise.resolve() };
    this.#running.set(claim.attempt, task);
    metrics.taskClaims.inc({ kind: claim.task.kind });
    const { requestId } = claim;
    task.ended = withLogContext(requestId === null ? {} : { requestId }, () => this.#run(task))
      .catch((cause: unknown) => this.#report(`The end of task ${claim.task.id} could not be recorded.`, cause))
      .finally(() => {
        this.#running.delete(claim.attempt);
        this.fill();
      });
  }

  async #run(task: Running): Promise<void> {
    const { deps, tasks } = this.#options;
    const { claim, lost } = task;
    const report = (fraction: number) => {
      task.fraction = Math.max(task.fraction, Math.min(0.99, fraction));
    };
    const startedMs = performance.now();
    logClaim(claim);
    const signals = { lost: lost.signal, stopping: this.#stopping.signal };
    const end = await runTask({ claim, report }, { perform: tasks[claim.task.kind], deps }, signals);
    countTaskEnd(claim.task.kind, end, startedMs);
    if (end === 'left-to-others') this.#avoided.add(claim.task.key.mediaId);
    const tookSec = (performance.now() - startedMs) / 1000;
    if (end === 'done') await logDone(this.#options.deps.db, claim, tookSec);
    if (end !== 'done' || this.#samples.length >= MAX_SAMPLES) return;
    this.#samples.push({ task: claim.task, tookSec });
  }

  /**
   * Renews all leases. A lease starts when its renewal is sent, so that it never lasts longer here than in the
   * database.
   */
  async #renew(): Promise<void> {
    const tasks = this.#listRenewed();
    if (tasks.length === 0) return;
    const sentMs = performance.now();
    const claims = tasks.map(({ claim }) => claim);
    const held = await renewLeases(this.#options.deps.db, claims, this.#leases.leaseSec);
    for (const task of tasks) {
      if (held.has(task.claim.task.id)) task.renewedMs = sentMs;
      else this.#lose(task);
    }
  }

  /**
   * Aborts expired tasks. A task may outlast its lease, because no other worker claims it until
   * the database is stable.
   */
  #loseExpired(): void {
    const nowMs = performance.now();
    for (const task of this.#listRenewed()) if (nowMs - task.renewedMs > this.#leases.loseMs) this.#lose(task);
  }

  /** Segment tasks renew their leases themselves. */
  #listRenewed(): Running[] {
    return [...this.#running.values()].filter(({ claim }) => claim.task.kind !== 'segment');
  }

  #lose(task: Running): void {
    if (!task.lost.signal.aborted) metrics.leaseLosses.inc({ kind: task.claim.task.kind });
    task.lost.abort(new LeaseLost());
  }

  async #writeProgress(): Promise<void> {
    const { db } = this.#options.deps;
    const moved = [...this.#running.values()].filter(({ fraction, written }) => fraction > written);
    if (moved.length > 0) {
      const snapshot = moved.map(({ claim, fraction, written }) => ({ claim, fraction, written }));
      const held = await writeProgress(db, snapshot);
      for (const [index, task] of moved.entries()) {
        if (held.has(task.claim.task.id)) task.written = snapshot[index]?.fraction ?? task.written;
        else this.#lose(task);
      }
    }
    const samples = this.#samples;
    this.#samples = [];
    if (samples.length > 0) await measureSpeeds(db, samples);
  }

  /** Runs an action unless it is already running. A failure is only reported: the next run tries again. */
  async #once(name: string, action: () => Promise<void>): Promise<void> {
    if (this.#inFlight.has(name)) return;
    this.#inFlight.add(name);
    try {
      await action();
    } catch (cause) {
      this.#report(`Encode tasks: ${name} failed and is retried.`, cause);
    } finally {
      this.#inFlight.delete(name);
    }
  }

  #report(message: string, cause: unknown): void {
    if (!this.#stopping.signal.aborted) this.#options.deps.report(new Error(message, { cause }));
  }
}
