/** What one encoder of a segment can use: more threads wait for each other. */
const MOST_THREADS = 8;
/**
 * Encoders that began alone keep their threads when others join: together they have this many times the processors at
 * most.
 */
const MOST_SHARE = 2;

/**
 * An encoder that has so many threads; one that is paused uses none of them now, and all again when its viewer goes on.
 */
export type ThreadHolder = { threads: number; isPaused: boolean };

/**
 * Threads for one more encoder beside others, on a machine that gives encoding `threads`: an even share among those at
 * work, so that who comes alone has all, and one at least. Those that are paused count for what all have together.
 */
export function shareThreads(threads: number, others: readonly ThreadHolder[]): number {
  const atWork = others.filter(({ isPaused }) => !isPaused);
  const even = Math.min(MOST_THREADS, Math.ceil(threads / (atWork.length + 1)));
  const left = MOST_SHARE * threads - others.reduce((sum, taken) => sum + taken.threads, 0);
  return Math.max(1, Math.min(even, left));
}
