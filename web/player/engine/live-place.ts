import type Hls from 'hls.js';

type Shown = Pick<HTMLVideoElement, 'seekable' | 'currentTime'>;

/** So far from the newest second a browser plays a stream of itself: three segments (RFC 8216 section 6.3.3) of 2 s. */
const HELD_BACK_SEC = 6;
/** Of what grows without end the duration is infinite, or this where a browser's media source takes no such one. */
const ENDLESS_SEC = 2 ** 32;

/** How far playback is behind the newest second; null where nothing can be seeked to yet. */
export function latencySec({ seekable, currentTime }: Shown): number | null {
  return seekable.length === 0 ? null : Math.max(0, seekable.end(seekable.length - 1) - currentTime);
}

/**
 * How far playback is behind where a live stream's newest second is watched from; null for what does not grow. Without
 * hls.js it is not known from where: it is reckoned then.
 */
export function behindSec(hls: Hls | null, shown: Shown & Pick<HTMLVideoElement, 'duration'>): number | null {
  if (hls === null) {
    const sec = shown.duration < ENDLESS_SEC ? null : latencySec(shown);
    return sec === null ? null : sec - HELD_BACK_SEC;
  }
  const targetSec = hls.latestLevelDetails?.live ? hls.liveSyncPosition : null;
  return targetSec === null ? null : targetSec - shown.currentTime;
}

/** From where a live stream's newest second is watched; null while nothing is known of it. */
export function liveSec(hls: Hls | null, { seekable }: Shown): number | null {
  return hls?.liveSyncPosition ?? (seekable.length > 0 ? seekable.end(seekable.length - 1) : null);
}

/** The media sequence number of the segment at a time; null where no playlist says it. */
export function sequenceAt(hls: Hls | null, sec: number): number | null {
  const fragments = hls?.latestLevelDetails?.fragments ?? [];
  return fragments.find(({ start, duration }) => start <= sec && sec < start + duration)?.sn ?? null;
}
