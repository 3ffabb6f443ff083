import type Hls from 'hls.js';

type Shown = Pick<HTMLVideoElement, 'seekable' | 'currentTime'>;

/** How far playback is behind the newest second; null where nothing can be seeked to yet. */
export function latencySec({ seekable, currentTime }: Shown): number | null {
  return seekable.length === 0 ? null : Math.max(0, seekable.end(seekable.length - 1) - currentTime);
}

/** How far playback is behind where a live stream's newest second is watched from; null for what does not grow. */
export function behindSec(hls: Hls | null, { currentTime }: Shown): number | null {
  const targetSec = hls?.latestLevelDetails?.live ? hls.liveSyncPosition : null;
  return targetSec === null ? null : targetSec - currentTime;
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
