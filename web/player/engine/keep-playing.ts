/**
 * To set media up anew stops what plays, and no event says so; a decoder that gives up pauses it. Playback goes on as
 * soon as there is a picture again, as fast as before. At a live stream's newest second the speed is the engine's own,
 * to catch up: that one is not kept.
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
  // To load sets the speed back to this one.
  video.addEventListener('ratechange', () => {
    if (engine.latencySec === null) video.defaultPlaybackRate = video.playbackRate;
  });
  video.addEventListener('emptied', () => {
    isStopped = plays;
  });
  video.addEventListener('loadeddata', () => {
    if (!isStopped) return;
    isStopped = false;
    // A browser may refuse without a gesture: then it stays paused, and shows so.
    video.play().catch(() => undefined);
  });
}
