/** Maximum playback speed. The difference is barely audible. */
const FASTEST = 1.25;
/** Maximum delay that counts as watching the live edge, in seconds. */
const NEAR_SEC = 0.05;
/** Minimum duration of loaded media ahead, in seconds. With less, a higher speed would cause a stall. */
const AHEAD_SEC = 1;
/**
 * Delay, in seconds, above which a viewer counts as deliberately behind when playback begins or resumes after a pause.
 */
const AT_NEWEST_SEC = 12;
/** Minimum delay, in seconds, at which a seek counts as deliberate, and at which a stall is corrected by a seek. */
const FAR_BEHIND_SEC = 3;
/**
 * Delay, in seconds, above which the correcting seek does not wait until the live edge is loaded. At a smaller delay,
 * the missing media is loaded soon, and a seek to media that is not loaded would stall again.
 */
const LOADED_WITHIN_SEC = 8;
/** Minimum length of a seek by the viewer, in seconds. Shorter seeks are made by the engine, over gaps. */
const SEEK_SEC = 2;
/**
 * Minimum interval between seeks, in ms. Otherwise, the player would seek endlessly if the connection is too slow for
 * the live edge.
 */
const SEEK_EACH_MS = 10_000;

type LiveEngine = {
  /**
   * Delay behind the position at which this player normally plays a live stream, in seconds. Null if the media is not
   * live.
   */
  readonly behindSec: number | null;
  /** Whether `behindSec` is precise enough to be corrected by speed. */
  readonly isBehindExact: boolean;
  goLive(): void;
};

/**
 * Keeps a viewer of a live stream near the live edge: with a slightly higher speed, or with a seek after a long stall.
 * (hls.js assumes that a viewer who is behind by more than a segment has deliberately moved back.)
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
    // Do nothing while playback waits. Another event follows.
    if (behindSec === null || video.paused || video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) return;
    if (isOpening || isResuming) {
      // A viewer who did not follow the live edge before a pause does not follow it afterwards.
      follows = (isOpening || follows) && behindSec <= AT_NEWEST_SEC;
      [isOpening, isResuming, hasStalled] = [false, false, false];
    }
    const isNear = behindSec < NEAR_SEC;
    if (isNear) follows = true;
    // If the viewer chose another speed, stop following the live edge, unless the speed is higher and the viewer is at
    // the live edge, which limits any speed.
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
    /** Call when new media is opened, because its initial speed was not set here. */
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
