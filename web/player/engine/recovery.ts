const MEDIA_RECOVERY_GAP_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;
/** Maximum number of consecutive retries without delay for a missing segment, since anything was loaded. */
const AT_ONCE_RETRIES = 2;
/**
 * Number of failures after which a missing segment is skipped. One that cannot be decoded may be broken in one rung
 * only.
 */
const MISSING_TRIES = 2;
const BROKEN_TRIES = 3;
/** Tolerance for the start of a segment, which is known more precisely once the preceding ones are loaded. */
const SAME_SEGMENT_SEC = 0.5;
/** Further than the engine looks back for a segment around a time. Otherwise it would start with the same one. */
const BEYOND_SEC = 0.3;
/** Maximum distance before a missing segment at which playback stops. */
const BEFORE_SEC = 1;

/** A live viewer with at most this delay is watching the live edge. */
const AT_NEWEST_SEC = 12;

/** Maximum difference between the ends of the last video and audio segments. */
const AT_END_SEC = 0.3;

type Stretch = { startSec: number; endSec: number };

/** A segment. No media follows one with `isLast`. */
type Segment = Stretch & { isLast: boolean };

/** Converts a fragment of hls.js and the state of its playlist. A playlist without an end has no last segment. */
export function segmentOf(
  { start, end }: { start: number; end: number },
  playlist: { live: boolean; edge: number } | null,
): Segment {
  const isLast = playlist !== null && !playlist.live && end >= playlist.edge - AT_END_SEC;
  return { startSec: start, endSec: end, isLast };
}

/** An error after which the engine does not continue on its own. */
export type Fault =
  /** `segment` is missing on the server (404, 410). Null for any other connection fault. */
  | { kind: 'line'; segment: Segment | null }
  /** The decoder, or the buffer, failed at a segment, if it is known. */
  | { kind: 'media'; segment: Segment | null };

/** Previous attempts. `retries` counts since anything was loaded, `tries` those of one segment. */
export type Attempts = { recoveredAtMs: number; retries: number; segmentAtSec: number | null; tries: number };

export type Recovery =
  /** The decoder is reset, and buffered media is fetched again. */
  | { kind: 'reset-media' }
  /** The playlist is read again after a wait, at the current position. */
  | { kind: 'reload'; afterMs: number }
  /**
   * The loaded media is shown first. Then, and not before `afterMs`, the playlist is read again, at the current
   * position or after a segment.
   */
  | { kind: 'play-out'; over: Stretch | null; afterMs: number }
  /**
   * The loaded media is shown to the end, since nothing follows. If nothing is loaded, or the decoder failed at the
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
 * Returns where playback resumes when the playlist is read again: at the current position, or at 0 for the live edge of
 * a live stream, which an outage must not delay. If nothing was loaded since the last time, returns that position,
 * `openedAtSec`.
 */
export function resumeAt(
  { readyState, currentTime }: Pick<HTMLVideoElement, 'readyState' | 'currentTime'>,
  { openedAtSec, latencySec }: { openedAtSec: number; latencySec: number | null },
): number {
  if (readyState === 0) return openedAtSec;
  return latencySec !== null && latencySec <= AT_NEWEST_SEC ? 0 : currentTime;
}

/** Decides how playback continues after a fault. It never gives up. Waits grow to 10 s. */
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
  const waitMs = Math.min(FIRST_RETRY_MS * 2 ** before.retries, MAX_RETRY_MS);
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
 * Returns where playback resumes after a skipped segment: past it, unless the viewer has moved elsewhere in the
 * meantime.
 */
export function placeAfter({ startSec, endSec }: Stretch, sec: number): number | null {
  const targetSec = endSec + BEYOND_SEC;
  return startSec - BEFORE_SEC <= sec && sec < targetSec ? targetSec : null;
}
