import type { FollowUp } from '../catalog/db.ts';

/**
 * A kind of background work. `run` may be started again at any time (a worker died, a lease ended), so
 * doing it twice changes nothing. It throws to be retried; `Refused` ends it for good. `giveUp` is told
 * when it ended for good: its retries are used up, it was refused, or its worker died too often.
 * `cron` (five fields, UTC) has it sent by the clock as well, with an empty payload.
 */
export type Job<Payload extends object, Deps> = {
  name: string;
  /** `quick` work (probe, first chunk, thumbnails, deletes) has slots of its own that long encodes never take. */
  lane: 'quick' | 'long';
  retryLimit: number;
  cron?: string;
  run(payload: Payload, deps: Deps, signal: AbortSignal): Promise<void>;
  giveUp?(payload: Payload, deps: Deps, reason: string): Promise<void>;
};

/** `onlyOneNamed`: while a job of this name and kind waits or runs, sending it again does nothing. Higher `priority` first. */
export type SendOptions = { priority?: number; delaySec?: number; onlyOneNamed?: string };

/** Where jobs are sent: the result joins the transaction of the change that asks for the work. */
export type Queue = {
  send<Payload extends object, Deps>(job: Job<Payload, Deps>, payload: Payload, options?: SendOptions): FollowUp;
};

export function defineJob<Payload extends object, Deps>(job: Job<Payload, Deps>): Job<Payload, Deps> {
  return job;
}
