const MEDIA_RECOVERY_GAP_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;
/** Maximum number of consecutive retries without delay for missing segments since the last successful load. */
const AT_ONCE_RETRIES = 2;
/**
 * Number of failures after which a missing segment is skipped. A segment that cannot be decoded is tried more often,
 * because it may be damaged in one rung only.
 */
const MISSING_TRIES = 2;
const BROKEN_TRIES = 3;
/**
 * Tolerance for the start of a segment, in seconds, because the start becomes more precise when preceding segments are
 * loaded.
 */
const SAME_SEGMENT_SEC = 0.5;
/**
 * Offset after a skipped segment, in seconds. It is larger than the tolerance with which hls.js looks for a segment at
 * a time, which would otherwise find the skipped segment.
 */
const BEYOND_SEC = 0.3;
/** Maximum time before a missing segment at which playback stops, in seconds. */
const BEFORE_SEC = 1;

/** Maximum delay, in seconds, at which a viewer of a live stream counts as watching the live edge. */
const AT_NEWEST_SEC = 12;

/** Maximum difference between the ends of the last video segment and the last audio segment, in seconds. */
const AT_END_SEC = 0.3;

type Stretch = { startSec: number; endSec: number };

/** Time range of a segment. If `isLast` is true, no media follows it. */
type Segment = Stretch & { isLast: boolean };

/** Converts a fragment of hls.js to a segment. In a playlist without an end, no segment is the last. */
export function segmentOf(
  { start, end }: { start: number; end: number },
  playlist: { live: boolean; edge: number } | null,
): Segment {
  const isLast = playlist !== null && !playlist.live && end >= playlist.edge - AT_END_SEC;
  return { startSec: start, endSec: end, isLast };
}

/** An error after which hls.js does not continue on its own. */
export type Fault =
  /** Connection fault. `segment` is set if it is missing on the server (404, 410), and null for any other fault. */
  | { kind: 'line'; segment: Segment | null }
  /** Failure of the decoder or the buffer. `segment` is null if it is unknown. */
  | { kind: 'media'; segment: Segment | null };

/**
 * Previous attempts. `retries` is their number since the last successful load. `tries` is the number of attempts for
 * the segment at `segmentAtSec`.
 */
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
   * The loaded media is shown to the end, because nothing follows. If no media is loaded, or if the decoder failed at
   * the last segment, which begins at `brokenSec`, the playlist is read again at `fromSec`, and the video ends before
   * the last segment.
   */
  | { kind: 'end'; fromSec: number; afterMs: number; brokenSec: number | null };

export const NO_ATTEMPTS: Attempts = {
  recoveredAtMs: Number.NEGATIVE_INFINITY,
  retries: 0,
  segmentAtSec: null,
  tries: 0,
};

/**
 * Returns the position at which playback resumes when the playlist is read again: the current position, or 0, which
 * means the live edge, for viewers of the live edge. If nothing was loaded since the playlist was last opened, returns
 * the position at which it was opened, `openedAtSec`.
 */
export function resumeAt(
  { readyState, currentTime }: Pick<HTMLVideoElement, 'readyState' | 'currentTime'>,
  { openedAtSec, latencySec }: { openedAtSec: number; latencySec: number | null },
): number {
  if (readyState === 0) return openedAtSec;
  return latencySec !== null && latencySec <= AT_NEWEST_SEC ? 0 : currentTime;
}

/** Decides how playback continues after a fault. It never gives up. The waits increase up to 10 s. */
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
 * Returns the position after a skipped segment at which playback resumes, or null if the viewer has moved elsewhere in
 * the meantime.
 */
export function placeAfter({ startSec, endSec }: Stretch, sec: number): number | null {
  const targetSec = endSec + BEYOND_SEC;
  return startSec - BEFORE_SEC <= sec && sec < targetSec ? targetSec : null;
}
