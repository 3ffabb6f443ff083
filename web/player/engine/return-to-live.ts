/** Maximum speed, which is barely audible. */
const FASTEST = 1.25;
/** Maximum distance that counts as watching the live edge. */
const NEAR_SEC = 0.05;
/** Minimum loaded media ahead, below which a higher speed would stall. */
const AHEAD_SEC = 1;
/** Delay above which a viewer is behind on purpose when playback begins or resumes after a pause. */
const AT_NEWEST_SEC = 12;
/** From this delay on, a seek is deliberate and a stall is corrected by a seek. */
const FAR_BEHIND_SEC = 3;
/**
 * Delay above which such a seek does not wait until the live edge is loaded. Below it, the media between is loaded
 * soon, and a seek to media that is not would stall again.
 */
const LOADED_WITHIN_SEC = 8;
/** Minimum length of a viewer's seek. Shorter ones are the engine's own, over gaps. */
const SEEK_SEC = 2;
/** Minimum interval between seeks. Otherwise a connection too slow for the live edge would seek endlessly. */
const SEEK_EACH_MS = 10_000;

type LiveEngine = {
  /** Delay behind the position at which the live edge is watched. Null if not live. */
  readonly behindSec: number | null;
  /** Whether that delay is known well enough to be corrected by speed. */
  readonly isBehindExact: boolean;
  goLive(): void;
};

/**
 * Keeps a viewer of a live stream near the live edge, and returns them to it: by a slightly higher speed, or
 * immediately after a stall that left them far behind. (hls.js treats a viewer who is behind by more than a segment as
 * having moved back on purpose.)
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
    // Another event follows while playback waits.
    if (behindSec === null || video.paused || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) return;
    if (isOpening || isResuming) {
      // A viewer who did not follow before a pause does not follow after it.
      follows = (isOpening || follows) && behindSec <= AT_NEWEST_SEC;
      [isOpening, isResuming, hasStalled] = [false, false, false];
    }
    const isNear = behindSec < NEAR_SEC;
    if (isNear) follows = true;
    // The live edge limits any speed. A lower speed, or a higher one to reach the live edge, is the viewer's choice.
    if (speed.isViewers() && !(isNear && video.playbackRate > 1)) follows = false;
    if (!follows) {
      speed.release();
      return;
    }
    if (behindSec <= FAR_BEHIND_SEC) hasStalled = false;
    const isLoaded = aheadSec(video) >= behindSec || behindSec > LOADED_WITHIN_SEC;
    if (hasStalled && isLoaded && performance.now() - seekedMs > SEEK_EACH_MS) {
      seekedMs = performance.now();
      engine.goLive();
      return;
    }
    if (engine.isBehindExact) speed.set(aheadSec(video) > AHEAD_SEC ? catchUpRate(behindSec) : 1);
  });
}

/** Distinguishes the speed that is set here from one that the viewer chose, which is left unchanged. */
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
    /** Newly opened media starts at a speed that was not set here. */
    forget() {
      own = 1;
    },
  };
}

/** Returns a higher speed for a larger delay, in steps, so that it rarely changes. */
function catchUpRate(behindSec: number): number {
  if (behindSec < NEAR_SEC) return 1;
  return Math.min(FASTEST, Math.round(40 / (1 + Math.exp(-0.75 * behindSec))) / 20);
}

function aheadSec({ buffered, currentTime }: HTMLVideoElement): number {
  return buffered.length === 0 ? 0 : buffered.end(buffered.length - 1) - currentTime;
}
