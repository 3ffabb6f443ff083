/** Maximum number of threads of one segment encoder. More threads would wait for each other. */
const MAX_THREADS = 8;
/**
 * Maximum ratio of threads to processors. It can exceed 1, because encoders that started alone keep their threads when
 * others start.
 */
const MAX_SHARE = 2;

/** An encoder and its number of threads. A paused encoder does not use them until its viewer continues. */
export type ThreadHolder = { threads: number; isPaused: boolean };

/**
 * Returns the number of threads for one more encoder on a machine with `threads` threads for encoding: an equal share
 * among the active encoders, but at least one. A single encoder gets all threads. Threads of paused encoders count
 * towards the total.
 */
export function shareThreads(threads: number, others: readonly ThreadHolder[]): number {
  const atWork = others.filter(({ isPaused }) => !isPaused);
  const even = Math.min(MAX_THREADS, Math.ceil(threads / (atWork.length + 1)));
  const left = MAX_SHARE * threads - others.reduce((sum, taken) => sum + taken.threads, 0);
  return Math.max(1, Math.min(even, left));
}
