import type { FollowUp } from '../../catalog/db.ts';

/** What sending a job takes. */
export type JobName = {
  name: string;
  /**
   * `quick` jobs (probe, first chunk, thumbnails) have slots of their own that long encodes never take, and so have
   * `fetch` jobs, which wait for other machines most of their time, and `housekeeping` (sweeps and deletes),
   * which runs also while there is a backlog of uploads.
   */
  queue: 'quick' | 'long' | 'fetch' | 'housekeeping';
  retryLimit: number;
  /** Its priority where none is sent with it, 0 when left out. */
  priority?: number;
};

/**
 * A kind of background work. `run` may be started again at any time (a worker died, a lease ended), so
 * doing it twice changes nothing. It throws to be retried; `Refused` ends it for good. `giveUp` is called
 * when it ended for good: its retries are used up, it was refused, or its worker died too often.
 * `cron` (five fields, UTC) has it sent by the clock as well, with an empty payload.
 */
export type Job<Payload extends object, Deps> = JobName & {
  cron?: string;
  run(payload: Payload, deps: Deps, signal: AbortSignal): Promise<void>;
  giveUp?(payload: Payload, deps: Deps, reason: string): Promise<void>;
};

/**
 * `onlyOneNamed`: while a job of this name and kind waits or runs, sending it again does nothing. Higher `priority`
 * first.
 */
export type SendOptions = { priority?: number; delaySec?: number; onlyOneNamed?: string };

/** Where jobs are sent: the result joins the transaction of the change that requests the job. */
export type Queue = {
  send<Payload extends object>(job: Sendable<Payload>, payload: Payload, options?: SendOptions): FollowUp;
};

/** A job, or just its name where the job itself cannot be imported; with `run`, the payload is checked against it. */
export type Sendable<Payload extends object> = JobName & {
  run?(payload: Payload, deps: never, signal: AbortSignal): Promise<void>;
};

export function defineJob<Payload extends object, Deps>(job: Job<Payload, Deps>): Job<Payload, Deps> {
  return job;
}
