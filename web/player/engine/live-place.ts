import type Hls from 'hls.js';

type Shown = Pick<HTMLVideoElement, 'seekable' | 'currentTime'>;

/**
 * Delay behind the live edge, in seconds, at which browsers play a stream natively: three segments (RFC 8216 section
 * 6.3.3) of 2 s.
 */
const HELD_BACK_SEC = 6;
/** Duration of growing media in browsers whose MediaSource does not accept infinity, in seconds. */
const ENDLESS_SEC = 2 ** 32;

/** Returns the delay behind the live edge, in seconds, or null if nothing is seekable yet. */
export function latencySec({ seekable, currentTime }: Shown): number | null {
  return seekable.length === 0 ? null : Math.max(0, seekable.end(seekable.length - 1) - currentTime);
}

/**
 * Returns the delay behind the position at which this player normally plays a live stream, in seconds, or null if the
 * media does not grow. Without hls.js, this position is estimated.
 */
export function behindSec(hls: Hls | null, shown: Shown & Pick<HTMLVideoElement, 'duration'>): number | null {
  if (hls === null) {
    const sec = shown.duration < ENDLESS_SEC ? null : latencySec(shown);
    return sec === null ? null : sec - HELD_BACK_SEC;
  }
  const targetSec = hls.latestLevelDetails?.live ? hls.liveSyncPosition : null;
  return targetSec === null ? null : targetSec - shown.currentTime;
}

/** Returns the position at which this player normally plays a live stream, in seconds, or null while it is unknown. */
export function liveSec(hls: Hls | null, { seekable }: Shown): number | null {
  return hls?.liveSyncPosition ?? (seekable.length > 0 ? seekable.end(seekable.length - 1) : null);
}

/** Returns the media sequence number of the segment at a time, or null if no playlist contains it. */
export function sequenceAt(hls: Hls | null, sec: number): number | null {
  const fragments = hls?.latestLevelDetails?.fragments ?? [];
  return fragments.find(({ start, duration }) => start <= sec && sec < start + duration)?.sn ?? null;
}
