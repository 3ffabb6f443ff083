const MIN_PAUSE_SEC = 3;
const MAX_PAUSE_SEC = 300;

/**
 * Returns the pause before the next attempt of a job that has waited for `waitedSec`. It grows with the wait, because
 * each attempt is a queue row with the whole payload.
 */
export function growingPauseSec(waitedSec: number): number {
  return Math.min(MAX_PAUSE_SEC, Math.max(MIN_PAUSE_SEC, Math.round(waitedSec / 2)));
}
