/** What the page knows of time: ms since the visit's ticket was issued, and the edge's clock at that moment. */
export type VisitClock = { sinceTicketMs(): number; issuedAtMs: number };

/** The wait for the first frame, from the request of the page or of its playback. */
export type StartWait = {
  /** Playback is requested by somebody, not by the page: the wait begins here. */
  request(): void;
  /** The page is awake: to be called again within 5 s, since a longer gap is sleep and no part of the wait. */
  isAwake(): void;
  untilMs(startedMs: number): number;
};

/** Timers of hidden pages and slow machines may come this late; what is longer was sleep. */
export const LONGEST_STEP_MS = 5_000;

export function openStartWait(clock: VisitClock): StartWait {
  let beganMs = 0;
  /** Null before the page's script runs: what it waits until then was the line. */
  let awakeMs: number | null = null;
  return {
    request() {
      beganMs = clock.sinceTicketMs();
      awakeMs = beganMs;
    },
    isAwake() {
      const nowMs = clock.sinceTicketMs();
      if (awakeMs !== null && nowMs - awakeMs > LONGEST_STEP_MS) beganMs += nowMs - awakeMs;
      awakeMs = nowMs;
    },
    untilMs: (startedMs) => Math.max(0, Math.round(startedMs - beganMs)),
  };
}
