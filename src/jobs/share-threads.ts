/** What one encoder of a segment can use: more threads wait for each other. */
const MOST_THREADS = 8;
/** Encoders that began alone keep their threads when others join: together they take this many times the processors at most. */
const MOST_SHARE = 2;

/**
 * Threads for one more encoder beside those that are at work with so many each, on a machine that gives encoding
 * `threads`: an even share, so that who comes alone has all, and one at least.
 */
export function shareThreads(threads: number, atWork: readonly number[]): number {
  const even = Math.min(MOST_THREADS, Math.ceil(threads / (atWork.length + 1)));
  const left = MOST_SHARE * threads - atWork.reduce((sum, taken) => sum + taken, 0);
  return Math.max(1, Math.min(even, left));
}
