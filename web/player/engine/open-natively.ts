import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { Opening } from './hls-options.ts';
import { latencySec } from './live-place.ts';
import { type Fault, NO_ATTEMPTS, recover, resumeAt } from './recovery.ts';

/** `MEDIA_ERR_NETWORK`, and `MEDIA_ERR_SRC_NOT_SUPPORTED`, which a playlist that cannot be fetched causes. */
const LINE_CODES = [2, 4];
const LINE: Fault = { kind: 'line', segment: null };
/** What plays so long is not held up at the same place again: the next wait is a short one. */
const STEADY_SEC = 2;

/**
 * Plays HLS as the browser itself does; `loaded` comes with its first picture. After a fault of the line, reported as
 * `trouble`, it opens the playlist again where it was, after waits as with the engine. Returns what ends that.
 */
export function openNatively(
  video: HTMLVideoElement,
  { playlistUrl }: PlayerSource,
  opening: Opening,
  report: (name: 'loaded' | 'trouble') => void,
): () => void {
  const closing = new AbortController();
  let { startSec } = opening;
  let attempts = NO_ATTEMPTS;
  let retrying: ReturnType<typeof setTimeout> | undefined;
  const load = () => {
    video.src = startSec > 0 ? `${playlistUrl}#t=${startSec}` : playlistUrl;
  };
  const fail = () => {
    if (!LINE_CODES.includes(video.error?.code ?? 0)) return;
    const before = { openedAtSec: startSec, latencySec: opening.isLive ? latencySec(video) : null };
    startSec = resumeAt(video, before);
    const next = recover(LINE, attempts, performance.now());
    attempts = next.attempts;
    clearTimeout(retrying);
    if (next.recovery.kind === 'reload') retrying = setTimeout(load, next.recovery.afterMs);
    report('trouble');
  };
  const move = () => {
    const { played } = video;
    if (played.length > 0 && played.end(0) - played.start(0) > STEADY_SEC) attempts = NO_ATTEMPTS;
  };
  const { signal } = closing;
  video.addEventListener('loadeddata', () => report('loaded'), { signal });
  video.addEventListener('error', fail, { signal });
  video.addEventListener('timeupdate', move, { signal });
  signal.addEventListener('abort', () => clearTimeout(retrying));
  video.preload = opening.loadsAtOnce ? 'auto' : 'none';
  load();
  return () => closing.abort();
}
