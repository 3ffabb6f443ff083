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
  /** Whether that is known well enough to be made up for by speed. */
  readonly isBehindExact: boolean;
  goLive(): void;
};

/**
 * Keeps a viewer of a live stream's newest second near it, and takes them back: by a little speed, and at once after a
 * stall that left them far behind. (hls.js takes whoever is behind by more than a segment for one who went back on
 * purpose.)
 */
export function returnToLive(video: HTMLVideoElement, engine: LiveEngine): void {
  const speed = ownSpeed(video);
  let [follows, isOpening, isResuming, hasStalled] = [true, true, false, false];
  let [shownSec, seekedMs] = [0, Number.NEGATIVE_INFINITY];
  video.addEventListener('emptied', () => {
    isOpening = true;
    speed.forget();
  });
  video.addEventListener('pause', () => {
    isResuming = true;
  });
  video.addEventListener('seeking', () => {
    if (isOpening) return;
    const behindSec = engine.behindSec ?? 0;
    if (Math.abs(video.currentTime - shownSec) > SEEK_SEC || behindSec < NEAR_SEC) follows = behindSec < FAR_BEHIND_SEC;
    if (!follows) speed.release();
  });
  video.addEventListener('waiting', () => {
    hasStalled = true;
  });
  video.addEventListener('timeupdate', () => {
    const { behindSec } = engine;
    shownSec = video.currentTime;
    if (behindSec === null) speed.release();
    // One more comes while it waits.
    if (behindSec === null || video.paused || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) return;
    if (isOpening || isResuming) {
      // Who did not follow before a pause does not after it.
      follows = (isOpening || follows) && behindSec <= AT_NEWEST_SEC;
      [isOpening, isResuming, hasStalled] = [false, false, false];
    }
    const isNear = behindSec < NEAR_SEC;
    if (isNear) follows = true;
    // Nobody is faster than the newest second; slower, or faster up to it, is the viewer's to choose.
    if (speed.isViewers() && !(isNear && video.playbackRate > 1)) follows = false;
    if (!follows) {
      speed.release();
      return;
    }
    if (behindSec <= FAR_BEHIND_SEC) hasStalled = false;
    if (hasStalled && performance.now() - seekedMs > SEEK_EACH_MS) {
      seekedMs = performance.now();
      engine.goLive();
      return;
    }
    if (engine.isBehindExact) speed.set(aheadSec(video) > AHEAD_SEC ? catchUpRate(behindSec) : 1);
  });
}

/** Keeps the speed that is set here apart from one that the viewer chose, which is left as it is. */
function ownSpeed(video: HTMLVideoElement) {
  let own = 1;
  return {
    isViewers: () => video.playbackRate !== own,
    set(rate: number) {
      own = rate;
      if (video.playbackRate !== rate) video.playbackRate = rate;
    },
    release() {
      if (own !== 1 && video.playbackRate === own) video.playbackRate = 1;
      own = 1;
    },
    /** What is opened begins at a speed that is not set here. */
    forget() {
      own = 1;
    },
  };
}

/** Faster the further behind, in steps, so that it seldom changes. */
function catchUpRate(behindSec: number): number {
  if (behindSec < NEAR_SEC) return 1;
  return Math.min(FASTEST, Math.round(40 / (1 + Math.exp(-0.75 * behindSec))) / 20);
}

function aheadSec({ buffered, currentTime }: HTMLVideoElement): number {
  return buffered.length === 0 ? 0 : buffered.end(buffered.length - 1) - currentTime;
}
