import type { FollowUp } from '../../catalog/db.ts';

/** Properties of a job that are needed to send it. */
export type JobName = {
  name: string;
  /**
   * `quick` jobs (probe, first chunk, thumbnails) have separate slots that long encodes never use. `fetch` jobs, which
   * mostly wait for other machines, and `housekeeping` jobs (sweeps and deletes) also have separate slots, so that they
   * run during a backlog of uploads. `export` jobs may take hours, and have a slot of their own.
   */
  queue: 'quick' | 'long' | 'fetch' | 'housekeeping' | 'export';
  retryLimit: number;
  /** Default priority of the job. 0 if absent. */
  priority?: number;
};

/**
 * A kind of background work. `run` may be started again at any time (a worker died, a lease expired), so it must be
 * idempotent. It throws to be retried, and throws `Refused` to fail permanently. `giveUp` is called after a permanent
 * failure: the retries are used up, the job was refused, or its worker died too often. `cron` (five fields, UTC) also
 * sends the job on a schedule, with an empty payload.
 */
export type Job<Payload extends object, Deps> = JobName & {
  cron?: string;
  run(payload: Payload, deps: Deps, signal: AbortSignal): Promise<void>;
  giveUp?(payload: Payload, deps: Deps, reason: string): Promise<void>;
};

/**
 * `onlyOneNamed`: sending does nothing while a job with this name and kind is waiting or running. Jobs with higher
 * `priority` run first.
 */
export type SendOptions = { priority?: number; delaySec?: number; onlyOneNamed?: string };

/** Sends jobs. The returned follow-up runs in the transaction of the change that requests the job. */
export type Queue = {
  send<Payload extends object>(job: Sendable<Payload>, payload: Payload, options?: SendOptions): FollowUp;
};

/**
 * A job, or just its name if the job cannot be imported. If `run` is present, the compiler checks the payload against
 * it.
 */
export type Sendable<Payload extends object> = JobName & {
  run?(payload: Payload, deps: never, signal: AbortSignal): Promise<void>;
};

export function defineJob<Payload extends object, Deps>(job: Job<Payload, Deps>): Job<Payload, Deps> {
  return job;
}
