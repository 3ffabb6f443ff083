import Hls, { type Fragment, type LevelDetails, type Part } from 'hls.js';

/** Ends a video at the end of its loaded media, since no more is available. Seeking loads media again. */
export function endHere(hls: Hls, video: HTMLVideoElement): void {
  hls.stopLoad();
  for (const type of ['audio', 'video', 'audiovideo'] as const) hls.trigger(Hls.Events.BUFFER_EOS, { type });
  const seek = () => {
    if (hls.media === video) hls.startLoad(-1);
  };
  video.addEventListener('seeking', seek, { once: true });
}

/**
 * Ends a video at the end of its loaded media if only its last segment follows the time `sec`. Does nothing for a
 * growing video.
 */
export function endBeforeLast(hls: Hls | null, video: HTMLVideoElement, sec: number): void {
  const details = hls?.latestLevelDetails;
  const last = details?.live === false ? details.fragments.at(-1) : undefined;
  if (hls !== null && last !== undefined && sec >= last.start - LATE_SEC) endHere(hls, video);
}

/** Ends a video before its last segment, which begins at `lastSec` and which no decoder accepts. */
export function endBefore(hls: Hls, video: HTMLVideoElement, lastSec: number): void {
  hls.on(Hls.Events.FRAG_LOADING, (_, { frag }) => {
    if (frag.type === 'main' && frag.start >= lastSec - LATE_SEC) endHere(hls, video);
  });
}

/** Maximum presentation delay, in seconds, by which the segment times of hls.js are later than those of the browser. */
const LATE_SEC = 0.5;

/**
 * Ends a video when its last segment is loaded. hls.js includes the presentation delay in its times, unlike the
 * browser. Therefore hls.js does not find a segment in the buffer that is not longer than this delay, and waits
 * forever. This also happens if earlier media is loaded later and reaches the last segment, because the last segment is
 * not loaded again.
 */
export function endWithLast(hls: Hls, video: HTMLVideoElement): void {
  const lasts = new Map<string, Fragment>();
  const newest = { main: null as Fragment | null, audio: null as Fragment | null };
  const details: { [Type in keyof typeof newest]?: LevelDetails } = {};
  const endReached = () => {
    const loadedSec = loadedUntil(video);
    for (const fragment of [newest.main, newest.audio]) {
      const last = fragment === null ? undefined : lasts.get(listOf(fragment));
      if (last !== undefined && loadedSec >= last.end - LATE_SEC) end(hls, last);
    }
  };
  hls.on(Hls.Events.LEVEL_UPDATED, (_, updated) => {
    details.main = updated.details;
  });
  hls.on(Hls.Events.AUDIO_TRACK_UPDATED, (_, updated) => {
    details.audio = updated.details;
  });
  hls.on(Hls.Events.FRAG_BUFFERED, (_, { frag, part }) => {
    if (frag.type !== 'main' && frag.type !== 'audio') return;
    newest[frag.type] = frag;
    if (frag.endList !== true) endReached();
    else if (isWhole(part, details[frag.type])) {
      lasts.set(listOf(frag), frag);
      end(hls, frag);
    }
  });
  video.addEventListener('seeked', endReached);
  hls.once(Hls.Events.DESTROYING, () => video.removeEventListener('seeked', endReached));
}

function end(hls: Hls, { type }: Fragment): void {
  hls.trigger(Hls.Events.BUFFER_EOS, { type: type === 'audio' ? 'audio' : 'video' });
  // Without separate audio tracks, the main playlist contains the audio.
  if (type === 'main' && hls.audioTracks.length === 0) hls.trigger(Hls.Events.BUFFER_EOS, { type: 'audio' });
}

/** Returns the end of the loaded range at the current position. */
function loadedUntil({ buffered, currentTime }: HTMLVideoElement): number {
  const ranges = Array.from({ length: buffered.length }, (_, index) => ({
    startSec: buffered.start(index),
    endSec: buffered.end(index),
  }));
  return (
    ranges.find(({ startSec, endSec }) => startSec - LATE_SEC <= currentTime && currentTime <= endSec)?.endSec ?? 0
  );
}

/** Returns whether the segment is complete after this part was loaded. Parts arrive in order. */
function isWhole(part: Part | null, details: LevelDetails | undefined): boolean {
  if (part === null) return true;
  const last = details?.partList?.findLast(({ fragment }) => fragment.sn === part.fragment.sn);
  return last?.index === part.index;
}

/** Returns a map key for the playlist of a rung or track, because each playlist has its own last segment. */
function listOf({ type, level }: Fragment): string {
  return `${type} ${level}`;
}
