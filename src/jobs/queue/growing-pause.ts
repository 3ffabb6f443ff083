const SHORTEST_PAUSE_SEC = 3;
const LONGEST_PAUSE_SEC = 300;

/**
 * How soon a job is tried again that has waited in vain for so long: later the longer that takes. Each try is a row of
 * the queue with the whole payload.
 */
export function growingPauseSec(waitedSec: number): number {
  return Math.min(LONGEST_PAUSE_SEC, Math.max(SHORTEST_PAUSE_SEC, Math.round(waitedSec / 2)));
}
