import type { FollowUp } from '../../catalog/db.ts';

/** Properties of a job that sending it requires. */
export type JobName = {
  name: string;
  /**
   * `quick` jobs (probe, first chunk, thumbnails) have separate slots that long encodes never use. So do `fetch` jobs,
   * which mostly wait for other machines, and `housekeeping` (sweeps and deletes), which also runs during a backlog of
   * uploads.
   */
  queue: 'quick' | 'long' | 'fetch' | 'housekeeping';
  retryLimit: number;
  /** Default priority of its jobs; 0 by default. */
  priority?: number;
};

/**
 * A kind of background work. `run` may be started again at any time (a worker died, a lease ended), so it must be
 * idempotent. It throws to be retried; `Refused` ends it permanently. `giveUp` is called when it ended permanently: its
 * retries are used up, it was refused, or its worker died too often. `cron` (five fields, UTC) also sends it by the
 * clock, with an empty payload.
 */
export type Job<Payload extends object, Deps> = JobName & {
  cron?: string;
  run(payload: Payload, deps: Deps, signal: AbortSignal): Promise<void>;
  giveUp?(payload: Payload, deps: Deps, reason: string): Promise<void>;
};

/**
 * `onlyOneNamed`: while a job of this name and kind waits or runs, sending it again does nothing. Higher `priority`
 * runs first.
 */
export type SendOptions = { priority?: number; delaySec?: number; onlyOneNamed?: string };

/** Sends jobs. The result joins the transaction of the change that requests the job. */
export type Queue = {
  send<Payload extends object>(job: Sendable<Payload>, payload: Payload, options?: SendOptions): FollowUp;
};

/**
 * A job, or just its name if the job itself cannot be imported. If `run` is present, the payload is checked against it.
 */
export type Sendable<Payload extends object> = JobName & {
  run?(payload: Payload, deps: never, signal: AbortSignal): Promise<void>;
};

export function defineJob<Payload extends object, Deps>(job: Job<Payload, Deps>): Job<Payload, Deps> {
  return job;
}
