import { MAX_STEP_MS, openStartWait, type StartWait, type VisitClock } from './start-wait.ts';

/**
 * Totals of one session so far. `watchedSec[n]` is the time watched in the n-th UTC hour, counted from the hour in
 * which the session began.
 */
export type VisitTotals = {
  startedMs: number;
  watchedSec: number[];
  /** Number of times that each bucket was entered and played, at most 255. */
  heat: Uint8Array;
  /** Seconds watched, by the height of the video in pixels. */
  rungSec: Record<string, number>;
  /** Time until the first moving frame, from the request of the page or of playback. Null if it is not measured. */
  startupMs: number | null;
  stallCount: number;
  stallMs: number;
  failures: number;
};

/** Content of a ledger as stored in JSON, with which a reloaded page continues. */
export type KeptLedger = {
  /** Null before the first moving frame. */
  startedMs: number | null;
  watchedMs: number[];
  heat: number[];
  rungMs: [heightPx: number, ms: number][];
  counts: Pick<VisitTotals, 'startupMs' | 'stallCount' | 'stallMs' | 'failures'>;
};

export type VisitLedger = Pick<StartWait, 'request' | 'isAwake'> & {
  /**
   * Records that a frame with the height `heightPx` is shown at `positionSec`. Playback moved or jumped there from the
   * last position.
   */
  moveTo(positionSec: number, rate: number, heightPx: number): void;
  /** Records that playback stopped, so that the next position does not count as movement from the current one. */
  rest(): void;
  /** Records a jump: the bucket of the new position is entered again. */
  jump(): void;
  /**
   * Reports a stall that continues, or that has ended (`isOver`). While playback waits, call it at least every 5 s: a
   * longer gap counts as sleep.
   */
  stall(isOver: boolean): void;
  fail(): void;
  /** Null before the first moving frame. */
  totals(): VisitTotals | null;
  keep(): KeptLedger;
};

/** A stall as last reported. */
type Stall = { untilMs: number; ms: number };

const HOUR_MS = 3600_000;
const MAX_COUNT = 255;
const MAX_RUNGS = 12;

/**
 * Keeps the totals of one session: wall-clock seconds of moving video by UTC hour, and how often each bucket was
 * played. Sleep, stalls and seeks do not count, only advancing frames. `measuresStart` is true if the page was
 * delivered with playable media and this is its first session. `kept` is the data that a previous page stored for the
 * same session.
 */
export function openVisitLedger(
  clock: VisitClock,
  { bucketSec, bucketCount }: { bucketSec: number; bucketCount: number },
  { measuresStart = true, kept = emptyLedger() }: { measuresStart?: boolean; kept?: KeptLedger } = {},
): VisitLedger {
  const { watchedMs, counts } = kept;
  const heat = Uint8Array.from({ length: bucketCount }, (_, index) => kept.heat[index] ?? 0);
  const rungMs = new Map(kept.rungMs);
  const start = openStartWait(clock);
  let { startedMs } = kept;
  /** Whether the video has moved in this page. A wait before the first movement is part of the startup time. */
  let hasMoved = false;
  let last: { positionSec: number; atMs: number } | null = null;
  let bucket = -1;
  let stall: Stall | null = null;

  const addWatched = (ms: number, atMs: number) => {
    const hour = hourOf(clock, atMs) - hourOf(clock, startedMs ?? atMs);
    while (watchedMs.length <= hour) watchedMs.push(0);
    watchedMs[hour] = (watchedMs[hour] ?? 0) + ms;
  };
  const enter = (entered: number) => {
    if (entered === bucket) return;
    bucket = entered;
    if (entered < bucketCount) heat[entered] = Math.min(MAX_COUNT, (heat[entered] ?? 0) + 1);
  };
  return {
    moveTo(positionSec, rate, heightPx) {
      const atMs = clock.sinceTicketMs();
      const from = last;
      last = { positionSec, atMs };
      if (from === null || rate <= 0) return;
      const mediaSec = positionSec - from.positionSec;
      const wallMs = atMs - from.atMs;
      if (mediaSec <= 0 || wallMs > MAX_STEP_MS || mediaSec > (wallMs / 1000 + 0.5) * rate + 0.5) return;
      startedMs ??= from.atMs;
      hasMoved = true;
      if (measuresStart) counts.startupMs ??= start.untilMs(startedMs);
      const watched = Math.min(wallMs, (mediaSec / rate) * 1000);
      addWatched(watched, atMs);
      if (heightPx > 0) rungMs.set(heightPx, (rungMs.get(heightPx) ?? 0) + watched);
      // A step may pass several buckets. A bucket in which playback has not moved yet is not entered.
      const first = Math.floor(from.positionSec / bucketSec);
      for (let index = first; index * bucketSec < positionSec; index += 1) enter(index);
    },
    request: start.request,
    isAwake: start.isAwake,
    rest() {
      last = null;
    },
    jump() {
      last = null;
      bucket = -1;
    },
    stall(isOver) {
      if (!isOver || stall !== null) stall = prolong(stall, clock.sinceTicketMs());
      if (!isOver || stall === null) return;
      if (hasMoved) {
        counts.stallCount += 1;
        counts.stallMs += Math.round(stall.ms);
      }
      stall = null;
    },
    fail() {
      counts.failures += 1;
    },
    totals() {
      if (startedMs === null) return null;
      const watchedSec = watchedMs.map((ms) => Math.round(ms / 1000));
      return { startedMs: Math.round(startedMs), watchedSec, heat, rungSec: toRungSec(rungMs), ...counts };
    },
    keep: () => ({ startedMs, watchedMs, heat: [...heat], rungMs: mostWatched(rungMs), counts }),
  };
}

function hourOf({ issuedAtMs }: VisitClock, sinceTicketMs: number): number {
  return Math.floor((issuedAtMs + sinceTicketMs) / HOUR_MS);
}

function emptyLedger(): KeptLedger {
  const counts = { startupMs: null, stallCount: 0, stallMs: 0, failures: 0 };
  return { startedMs: null, watchedMs: [], heat: [], rungMs: [], counts };
}

/** Begins a stall, or adds the time since its last report, unless that was sleep. */
function prolong(stall: Stall | null, untilMs: number): Stall {
  const stepMs = stall === null ? 0 : untilMs - stall.untilMs;
  return { untilMs, ms: (stall?.ms ?? 0) + (stepMs > MAX_STEP_MS ? 0 : stepMs) };
}

function toRungSec(rungMs: ReadonlyMap<number, number>): Record<string, number> {
  return Object.fromEntries(mostWatched(rungMs).map(([heightPx, ms]) => [`${heightPx}`, Math.round(ms / 1000)]));
}

/** If the video's size changes constantly, only the most watched heights are listed. */
function mostWatched(rungMs: ReadonlyMap<number, number>): [heightPx: number, ms: number][] {
  return [...rungMs].sort(([, a], [, b]) => b - a).slice(0, MAX_RUNGS);
}
