import type Hls from 'hls.js';

type Shown = Pick<HTMLVideoElement, 'seekable' | 'currentTime'>;

/**
 * Distance from the live edge at which browsers play a stream natively: three segments (RFC 8216 section 6.3.3) of 2 s.
 */
const HELD_BACK_SEC = 6;
/** Growing media has an infinite duration, or this one if a browser's media source does not accept infinity. */
const ENDLESS_SEC = 2 ** 32;

/** Returns the delay behind the live edge. Null if nothing is seekable yet. */
export function latencySec({ seekable, currentTime }: Shown): number | null {
  return seekable.length === 0 ? null : Math.max(0, seekable.end(seekable.length - 1) - currentTime);
}

/**
 * Returns the delay behind the position at which a live stream is watched at its live edge. Null if the media does not
 * grow. Without hls.js that position is unknown, and is estimated.
 */
export function behindSec(hls: Hls | null, shown: Shown & Pick<HTMLVideoElement, 'duration'>): number | null {
  if (hls === null) {
    const sec = shown.duration < ENDLESS_SEC ? null : latencySec(shown);
    return sec === null ? null : sec - HELD_BACK_SEC;
  }
  const targetSec = hls.latestLevelDetails?.live ? hls.liveSyncPosition : null;
  return targetSec === null ? null : targetSec - shown.currentTime;
}

/** Returns the position at which a live stream is watched at its live edge. Null until known. */
export function liveSec(hls: Hls | null, { seekable }: Shown): number | null {
  return hls?.liveSyncPosition ?? (seekable.length > 0 ? seekable.end(seekable.length - 1) : null);
}

/** Returns the media sequence number of the segment at a time. Null if no playlist states it. */
export function sequenceAt(hls: Hls | null, sec: number): number | null {
  const fragments = hls?.latestLevelDetails?.fragments ?? [];
  return fragments.find(({ start, duration }) => start <= sec && sec < start + duration)?.sn ?? null;
}
