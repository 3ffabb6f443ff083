import type { PlayerSource } from '../../../src/delivery/player/player-state.ts';
import type { Opening } from './hls-options.ts';

/** Plays HLS as the browser itself does; `loaded` comes with its first picture. */
export function openNatively(
  video: HTMLVideoElement,
  { playlistUrl }: PlayerSource,
  { startSec, loadsAtOnce }: Opening,
  loaded: () => void,
): void {
  video.preload = loadsAtOnce ? 'auto' : 'none';
  video.src = startSec > 0 ? `${playlistUrl}#t=${startSec}` : playlistUrl;
  video.addEventListener('loadeddata', loaded, { once: true });
}
