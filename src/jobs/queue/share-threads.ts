/** Maximum useful threads of one segment encoder: more would wait for each other. */
const MAX_THREADS = 8;
/**
 * Encoders that began alone keep their threads when others join. Together they have at most this many times the
 * processors.
 */
const MAX_SHARE = 2;

/** An encoder with this many threads. A paused one uses none of them now, and all again when its viewer continues. */
export type ThreadHolder = { threads: number; isPaused: boolean };

/**
 * Returns the threads for one more encoder, on a machine that gives encoding `threads`: an equal share among the active
 * ones, so that a single one has all, and at least one. Paused ones count towards the total.
 */
export function shareThreads(threads: number, others: readonly ThreadHolder[]): number {
  const atWork = others.filter(({ isPaused }) => !isPaused);
  const even = Math.min(MAX_THREADS, Math.ceil(threads / (atWork.length + 1)));
  const left = MAX_SHARE * threads - others.reduce((sum, taken) => sum + taken.threads, 0);
  return Math.max(1, Math.min(even, left));
}
