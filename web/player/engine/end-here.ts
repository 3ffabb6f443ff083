import Hls, { type Fragment } from 'hls.js';

/** Ends a video at what is loaded of it, since no more is to be had. What the viewer seeks to is loaded again. */
export function endHere(hls: Hls, video: HTMLVideoElement): void {
  hls.stopLoad();
  for (const type of ['audio', 'video', 'audiovideo'] as const) hls.trigger(Hls.Events.BUFFER_EOS, { type });
  const seek = () => {
    if (hls.media === video) hls.startLoad(-1);
  };
  video.addEventListener('seeking', seek, { once: true });
}

/**
 * Ends a video when its last segment is loaded. hls.js does not find one again in the buffer that is no longer than the
 * presentation delay of the pictures, on which it reckons, unlike the browser, and waits for its end for ever.
 */
export function endWithLast(hls: Hls, { endList, type }: Pick<Fragment, 'endList' | 'type'>): void {
  if (endList !== true) return;
  if (type === 'audio') hls.trigger(Hls.Events.BUFFER_EOS, { type });
  if (type !== 'main') return;
  hls.trigger(Hls.Events.BUFFER_EOS, { type: 'video' });
  // Without tracks of its own, sound is what the main playlist has.
  if (hls.audioTracks.length === 0) hls.trigger(Hls.Events.BUFFER_EOS, { type: 'audio' });
}
