const MIN_PAUSE_SEC = 3;
const MAX_PAUSE_SEC = 300;

/**
 * Returns the pause before the next try of a job that has waited this long without success. It grows with the wait,
 * because each try is a row of the queue with the whole payload.
 */
export function growingPauseSec(waitedSec: number): number {
  return Math.min(MAX_PAUSE_SEC, Math.max(MIN_PAUSE_SEC, Math.round(waitedSec / 2)));
}
