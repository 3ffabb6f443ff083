import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { Opening } from './hls-options.ts';
import { latencySec } from './live-place.ts';
import { type Fault, NO_ATTEMPTS, recover, resumeAt } from './recovery.ts';

/**
 * `MEDIA_ERR_NETWORK`, and `MEDIA_ERR_SRC_NOT_SUPPORTED`, which is also the result of a playlist that cannot be
 * fetched.
 */
const LINE_CODES = [2, 4];
const LINE: Fault = { kind: 'line', segment: null };
/** Playback time, in seconds, after which a fault counts as overcome, so that the next wait is short again. */
const STEADY_SEC = 2;

/**
 * Plays HLS natively in the browser. Reports `loaded` with the first frame. After a connection fault, which is reported
 * as `trouble`, reopens the playlist at the same position, with the same waits as with hls.js. Returns a function that
 * stops the handling.
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
  video.preload = opening.loadsAtOnce ? (opening.buffersPaused ? 'auto' : 'metadata') : 'none';
  load();
  return () => closing.abort();
}
