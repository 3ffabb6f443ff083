import Hls from 'hls.js';

/** Ends a video at what is loaded of it, since no more is to be had. What the viewer seeks to is loaded again. */
export function endHere(hls: Hls, video: HTMLVideoElement): void {
  hls.stopLoad();
  for (const type of ['audio', 'video', 'audiovideo'] as const) hls.trigger(Hls.Events.BUFFER_EOS, { type });
  const seek = () => {
    if (hls.media === video) hls.startLoad(-1);
  };
  video.addEventListener('seeking', seek, { once: true });
}
