import type { IdleSlots } from './idle-slots.ts';

/** Interval in ms of the search for delayed jobs, which no notification announces. */
const DELAYED_POLL_MS = 2_000;

type Delayed = {
  /** Slots of this process, by queue. */
  slots: ReadonlyMap<string, IdleSlots>;
  /** Returns those of the given queues that have jobs to run now. */
  findDue(queues: readonly string[]): Promise<string[]>;
  report(error: Error): void;
};

/**
 * Finds delayed jobs of all queues with one query, and lets one idle slot of each queue with such a job take it. Polls
 * until `stopping` aborts, and one query at a time.
 */
export function watchDelayed({ slots, findDue, report }: Delayed, stopping: AbortSignal): void {
  let isLooking = false;
  const look = async () => {
    const idle = [...slots].flatMap(([queue, { hasIdle }]) => (hasIdle ? [queue] : []));
    if (idle.length === 0) return;
    for (const queue of await findDue(idle)) slots.get(queue)?.wakeOne();
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((cause: unknown) => {
        if (!stopping.aborted) report(new Error('Delayed jobs could not be read.', { cause }));
      })
      .finally(() => {
        isLooking = false;
      });
  }, DELAYED_POLL_MS);
  stopping.addEventListener('abort', () => clearInterval(timer), { once: true });
}
