/** The page's time sources: ms since the visit's ticket was issued, and the edge's clock at that moment. */
export type VisitClock = { sinceTicketMs(): number; issuedAtMs: number };

/** The wait for the first frame, from the request of the page or of its playback. */
export type StartWait = {
  /** A person, not the page, requests playback: the wait begins here. */
  request(): void;
  /** The page is awake. Call it again within 5 s: a longer gap is sleep, and not part of the wait. */
  isAwake(): void;
  untilMs(startedMs: number): number;
};

/** Maximum delay of timers on hidden pages and slow machines; a longer gap was sleep. */
export const MAX_STEP_MS = 5_000;

export function openStartWait(clock: VisitClock): StartWait {
  let beganMs = 0;
  /** Null before the page's script runs: the wait until then is due to the connection. */
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
