const MEDIA_RECOVERY_GAP_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;
/** So often in turn, since anything was loaded, a missing segment holds up nothing. */
const AT_ONCE_RETRIES = 2;
/** A segment that was missing so often is passed over; one that cannot be decoded may be so in one rung alone. */
const MISSING_TRIES = 2;
const BROKEN_TRIES = 3;
/** Where a segment begins is known better once those before it are loaded. */
const SAME_SEGMENT_SEC = 0.5;
/** Further than the engine looks back for a segment around a time: else it begins with the same one. */
const BEYOND_SEC = 0.3;
/** Playback comes to rest so far before a segment that is missing, or nearer. */
const BEFORE_SEC = 1;

/** A viewer of a live stream who is no further behind watches its newest second. */
const AT_NEWEST_SEC = 12;

/** The segments of picture and audio end so near each other. */
const AT_END_SEC = 0.3;

type Stretch = { startSec: number; endSec: number };

/** A segment; nothing follows one that `isLast`. */
type Segment = Stretch & { isLast: boolean };

/** Of a fragment of hls.js and what it knows of a playlist; what has no end yet has no last segment. */
export function segmentOf(
  { start, end }: { start: number; end: number },
  playlist: { live: boolean; edge: number } | null,
): Segment {
  const isLast = playlist !== null && !playlist.live && end >= playlist.edge - AT_END_SEC;
  return { startSec: start, endSec: end, isLast };
}

/** An error after which the engine does not go on by itself. */
export type Fault =
  /** `segment` is what the server does not have (404, 410); null for any other fault of the line. */
  | { kind: 'line'; segment: Segment | null }
  /** The decoder, or the buffer, gave up at a segment, as far as that is known. */
  | { kind: 'media'; segment: Segment | null };

/** What was tried before. `retries` counts since something was loaded; `tries` those of one segment. */
export type Attempts = { recoveredAtMs: number; retries: number; segmentAtSec: number | null; tries: number };

export type Recovery =
  /** The decoder is set up anew; what is buffered is fetched again. */
  | { kind: 'reset-media' }
  /** The playlist is read again, after a while, at the place that was reached. */
  | { kind: 'reload'; afterMs: number }
  /**
   * What is loaded is shown first; then, and not before `afterMs`, the playlist is read again, at the place that was
   * reached or after a segment.
   */
  | { kind: 'play-out'; over: Stretch | null; afterMs: number }
  /**
   * What is loaded is shown to the end, since nothing follows. Where nothing is loaded, or the decoder gave up at the
   * last segment, which begins at `brokenSec`, the playlist is read again at `fromSec`, to end before that segment.
   */
  | { kind: 'end'; fromSec: number; afterMs: number; brokenSec: number | null };

export const NO_ATTEMPTS: Attempts = {
  recoveredAtMs: Number.NEGATIVE_INFINITY,
  retries: 0,
  segmentAtSec: null,
  tries: 0,
};

/**
 * Where a playlist that is read anew goes on: at the place that is watched, or, for the newest second of a live stream,
 * at 0, which an outage must not put off. While nothing was loaded since the last time it is still the place of then,
 * `openedAtSec`.
 */
export function resumeAt(
  { readyState, currentTime }: Pick<HTMLVideoElement, 'readyState' | 'currentTime'>,
  { openedAtSec, latencySec }: { openedAtSec: number; latencySec: number | null },
): number {
  if (readyState === 0) return openedAtSec;
  return latencySec !== null && latencySec <= AT_NEWEST_SEC ? 0 : currentTime;
}

/** Decides how playback goes on after a fault. It never gives up: waiting grows to 10 s. */
export function recover(
  { kind, segment }: Fault,
  before: Attempts,
  nowMs: number,
): { recovery: Recovery; attempts: Attempts } {
  const segmentAtSec = segment?.startSec ?? null;
  const isSame =
    segmentAtSec !== null &&
    before.segmentAtSec !== null &&
    Math.abs(segmentAtSec - before.segmentAtSec) < SAME_SEGMENT_SEC;
  const tries = segmentAtSec === null ? 0 : isSame ? before.tries + 1 : 1;
  const attempts = { ...before, segmentAtSec, tries };
  const passesOver = segment !== null && tries >= (kind === 'media' ? BROKEN_TRIES : MISSING_TRIES);
  if (kind === 'media' && !passesOver && nowMs - before.recoveredAtMs > MEDIA_RECOVERY_GAP_MS) {
    return { recovery: { kind: 'reset-media' }, attempts: { ...attempts, recoveredAtMs: nowMs } };
  }
  const retried = { ...attempts, retries: before.retries + 1 };
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** before.retries, LONGEST_RETRY_MS);
  const afterMs = before.retries < AT_ONCE_RETRIES ? 0 : waitMs;
  if (segment?.isLast === true && (kind === 'line' || passesOver)) {
    const brokenSec = kind === 'media' ? segment.startSec : null;
    const fromSec = segment.startSec - BEFORE_SEC;
    return { recovery: { kind: 'end', fromSec, afterMs: waitMs, brokenSec }, attempts: retried };
  }
  if (passesOver) return { recovery: { kind: 'play-out', over: segment, afterMs }, attempts: retried };
  if (kind === 'line' && segment !== null)
    return { recovery: { kind: 'play-out', over: null, afterMs }, attempts: retried };
  return { recovery: { kind: 'reload', afterMs: waitMs }, attempts: retried };
}

/**
 * Where playback goes on after a segment that is passed over: past it, unless the viewer has gone elsewhere meanwhile.
 */
export function placeAfter({ startSec, endSec }: Stretch, sec: number): number | null {
  const targetSec = endSec + BEYOND_SEC;
  return startSec - BEFORE_SEC <= sec && sec < targetSec ? targetSec : null;
}
