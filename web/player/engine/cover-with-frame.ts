const MAX_DURATION_MS = 10_000;

/** Covers the video with the current frame until the next one is shown, so that a reload does not flash black. */
export function coverWithFrame(video: HTMLVideoElement): void {
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || video.videoWidth === 0) return;
  const veil = document.createElement('canvas');
  veil.className = 'veil';
  veil.slot = 'poster';
  veil.width = video.videoWidth;
  veil.height = video.videoHeight;
  veil.getContext('2d')?.drawImage(video, 0, 0);
  video.after(veil);
  const uncover = () => veil.remove();
  for (const name of ['seeked', 'playing']) video.addEventListener(name, uncover, { once: true });
  setTimeout(uncover, MAX_DURATION_MS);
}
