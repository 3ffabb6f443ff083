/**
 * To set media up anew stops what plays, and no event says so; a decoder that gives up pauses it. Playback goes on as
 * soon as there is a picture again, as fast as before.
 */
export function keepPlaying(video: HTMLVideoElement): void {
  let plays = false;
  video.addEventListener('play', () => {
    plays = true;
  });
  for (const name of ['pause', 'ended'])
    video.addEventListener(name, () => {
      if (video.error === null) plays = false;
    });
  // To load sets the speed back to this one.
  video.addEventListener('ratechange', () => {
    video.defaultPlaybackRate = video.playbackRate;
  });
  video.addEventListener('emptied', () => {
    if (!plays) return;
    // A browser may refuse without a gesture: then it stays paused, and shows so.
    video.addEventListener('loadeddata', () => void video.play().catch(() => undefined), { once: true });
  });
}
