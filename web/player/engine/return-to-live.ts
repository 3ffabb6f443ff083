/** Who was further behind the newest second than this went back on purpose. */
const AT_NEWEST_SEC = 12;
/** Less is made up for by the engine's own catching up. */
const FAR_BEHIND_SEC = 3;
/** Shorter seeks are the engine's own, over holes. */
const SEEK_SEC = 2;

type LiveEngine = { readonly latencySec: number | null; goLive(): void };

/** Takes a viewer of a live stream's newest second back to it after a stall that was too long to be caught up by speed. */
export function returnToLive(video: HTMLVideoElement, engine: LiveEngine): void {
  let usualSec: number | null = null;
  let hasStalled = false;
  let shownSec = 0;
  const forget = () => {
    usualSec = null;
    hasStalled = false;
  };
  video.addEventListener('seeking', () => {
    if (Math.abs(video.currentTime - shownSec) > SEEK_SEC) forget();
  });
  video.addEventListener('pause', forget);
  video.addEventListener('waiting', () => {
    hasStalled = usualSec !== null && usualSec <= AT_NEWEST_SEC;
  });
  video.addEventListener('timeupdate', () => {
    const { latencySec } = engine;
    shownSec = video.currentTime;
    // One more comes while it waits.
    if (latencySec === null || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) return;
    if (!hasStalled || usualSec === null) usualSec = latencySec;
    else if (latencySec > usualSec + FAR_BEHIND_SEC) engine.goLive();
    else if (latencySec <= usualSec + 1) hasStalled = false;
  });
}
