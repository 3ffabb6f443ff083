/**
 * Resumes playback, at the same speed, as soon as a frame is available again after a reset of the media, which stops
 * playback without an event, or after a decoder failure, which pauses it. At the live edge, the speed is not kept,
 * because the player changes it to catch up.
 */
export function keepPlaying(video: HTMLVideoElement, engine: { readonly latencySec: number | null }): void {
  let plays = false;
  let isStopped = false;
  video.addEventListener('play', () => {
    plays = true;
  });
  for (const name of ['pause', 'ended'])
    video.addEventListener(name, () => {
      if (video.error !== null) return;
      plays = false;
      isStopped = false;
    });
  // Loading media resets the speed to the default.
  video.addEventListener('ratechange', () => {
    if (engine.latencySec === null) video.defaultPlaybackRate = video.playbackRate;
  });
  video.addEventListener('emptied', () => {
    isStopped = plays;
  });
  video.addEventListener('loadeddata', () => {
    if (!isStopped) return;
    isStopped = false;
    // Without a user gesture, a browser may refuse to play. The video then stays paused, and the controls show this.
    video.play().catch(() => undefined);
  });
}
