/**
 * Time sources of a page: the time since the session's ticket was issued, in ms, and the time of the edge's clock when
 * it was issued.
 */
export type VisitClock = { sinceTicketMs(): number; issuedAtMs: number };

/** Measures the time until the first frame, from the request of the page or of playback. */
export type StartWait = {
  /** Restarts the measurement when the viewer, and not the page, requests playback. */
  request(): void;
  /**
   * Reports that the page is awake. Must be called at least every 5 s. A longer gap counts as sleep, which is not part
   * of the wait.
   */
  isAwake(): void;
  untilMs(startedMs: number): number;
};

/** Maximum delay of timers on hidden pages and slow machines, in ms. A longer gap counts as sleep. */
export const MAX_STEP_MS = 5_000;

export function openStartWait(clock: VisitClock): StartWait {
  let beganMs = 0;
  /** Null until the script runs. The wait until then counts in full, because it depends on the connection. */
  let awakeMs: number | null = null;
  return {
    request() {
      beganMs = clock.sinceTicketMs();
      awakeMs = beganMs;
    },
    isAwake() {
      const nowMs = clock.sinceTicketMs();
      if (awakeMs !== null && nowMs - awakeMs > MAX_STEP_MS) beganMs += nowMs - awakeMs;
      awakeMs = nowMs;
    },
    untilMs: (startedMs) => Math.max(0, Math.round(startedMs - beganMs)),
  };
}
