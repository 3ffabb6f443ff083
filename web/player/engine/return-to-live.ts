/** So much faster is hardly heard. */
const FASTEST = 1.25;
/** Nearer than this is where the newest second is watched from. */
const NEAR_SEC = 0.05;
/** With less loaded ahead, to be faster would be to stall. */
const AHEAD_SEC = 1;
/** Who was further behind, when playback began or went on after a pause, is there on purpose. */
const AT_NEWEST_SEC = 12;
/** So far behind, or further, is where a viewer seeks to on purpose, and what a stall is made up for by a seek. */
const FAR_BEHIND_SEC = 3;
/** Shorter seeks are the engine's own, over holes. */
const SEEK_SEC = 2;
/** A line that is too slow for the newest second would be seeked on without end. */
const SEEK_EACH_MS = 10_000;

type LiveEngine = {
  /** How far playback is behind where the newest second is watched from; null for what is not live. */
  readonly behindSec: number | null;
  goLive(): void;
};

/**
 * Keeps a viewer of a live stream's newest second near it, and takes them back: by a little speed, and at once after a stall
 * that left them far behind. (hls.js takes whoever is behind by more than a segment for one who went back on purpose.)
 */
export function returnToLive(video: HTMLVideoElement, engine: LiveEngine): void {
  let [follows, isSettling, hasStalled] = [true, true, false];
  let [shownSec, seekedMs] = [0, Number.NEGATIVE_INFINITY];
  for (const name of ['emptied', 'pause'])
    video.addEventListener(name, () => {
      isSettling = true;
    });
  video.addEventListener('seeking', () => {
    if (!isSettling && Math.abs(video.currentTime - shownSec) > SEEK_SEC)
      follows = (engine.behindSec ?? 0) < FAR_BEHIND_SEC;
  });
  video.addEventListener('waiting', () => {
    hasStalled = true;
  });
  video.addEventListener('timeupdate', () => {
    const { behindSec } = engine;
    shownSec = video.currentTime;
    // One more comes while it waits.
    if (behindSec === null || video.paused || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) return;
    if (isSettling) [follows, hasStalled, isSettling] = [behindSec <= AT_NEWEST_SEC, false, false];
    if (behindSec < NEAR_SEC) follows = true;
    if (!follows) return;
    if (behindSec <= FAR_BEHIND_SEC) hasStalled = false;
    if (hasStalled && performance.now() - seekedMs > SEEK_EACH_MS) {
      seekedMs = performance.now();
      engine.goLive();
      return;
    }
    const rate = aheadSec(video) > AHEAD_SEC ? catchUpRate(behindSec) : 1;
    if (video.playbackRate !== rate) video.playbackRate = rate;
  });
}

/** Faster the further behind, in steps, so that it seldom changes. */
function catchUpRate(behindSec: number): number {
  if (behindSec < NEAR_SEC) return 1;
  return Math.min(FASTEST, Math.round(40 / (1 + Math.exp(-0.75 * behindSec))) / 20);
}

function aheadSec({ buffered, currentTime }: HTMLVideoElement): number {
  return buffered.length === 0 ? 0 : buffered.end(buffered.length - 1) - currentTime;
}
