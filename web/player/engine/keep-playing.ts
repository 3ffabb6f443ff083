/**
 * Keeps playback going: resetting the media stops it without an event, and a failing decoder pauses it. Playback
 * resumes at the same speed as soon as a frame is available again. At the live edge the engine sets the speed to catch
 * up, which is not kept.
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
  // Loading resets the speed to this value.
  video.addEventListener('ratechange', () => {
    if (engine.latencySec === null) video.defaultPlaybackRate = video.playbackRate;
  });
  video.addEventListener('emptied', () => {
    isStopped = plays;
  });
  video.addEventListener('loadeddata', () => {
    if (!isStopped) return;
    isStopped = false;
    // A browser may refuse without a gesture. The video then stays paused, and the controls show it.
    video.play().catch(() => undefined);
  });
}
