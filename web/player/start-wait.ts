/** The page's time sources: ms since the session's ticket was issued, and the edge's clock at that moment. */
export type VisitClock = { sinceTicketMs(): number; issuedAtMs: number };

/** The wait for the first frame, since the request of the page or of its playback. */
export type StartWait = {
  /** A person, not the page, requests playback, so the wait begins here. */
  request(): void;
  /** Reports that the page is awake. Call it again within 5 s. A longer gap is sleep, and not part of the wait. */
  isAwake(): void;
  untilMs(startedMs: number): number;
};

/** Maximum delay of timers on hidden pages and slow machines. A longer gap was sleep. */
export const MAX_STEP_MS = 5_000;

export function openStartWait(clock: VisitClock): StartWait {
  let beganMs = 0;
  /** Null before the page's script runs, because the wait until then is due to the connection. */
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
