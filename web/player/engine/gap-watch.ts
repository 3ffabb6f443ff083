const LOOK_EACH_MS = 500;
/** Time without progress, in ms, after which playback counts as stuck. hls.js itself jumps over short gaps. */
const STUCK_MS = 2_500;
/**
 * Minimum duration of loaded media ahead, in seconds, with which playback can continue, so a gap is not the cause of
 * the stop.
 */
const ENOUGH_SEC = 0.5;
/** Offset into the next loaded range, in seconds, so that a rounded position is not before it. */
const INSIDE_SEC = 0.05;

/** Returns the position after a gap at which loaded media continues, or null if there is none. */
export function afterGap(buffered: Pick<TimeRanges, 'length' | 'start' | 'end'>, sec: number): number | null {
  for (let index = 0; index < buffered.length; index += 1) {
    const [start, end] = [buffered.start(index), buffered.end(index)];
    if (start <= sec && sec + ENOUGH_SEC < end) return null;
    if (start > sec) return start + INSIDE_SEC;
  }
  return null;
}

type Engine = {
  /** Start of the media that is being fetched, in seconds. Null if nothing is being fetched. */
  readonly fetchingSec: number | null;
  /** Ends a video at the end of its loaded media, if only its last segment follows. */
  endBeforeLast(sec: number): void;
};

/**
 * Jumps over gaps of any length at which playback is stuck, unless the missing media is being fetched. A video whose
 * last segment cannot be shown ends before this segment.
 */
export function watchGaps(video: HTMLVideoElement, engine: Engine): void {
  let [sec, sinceMs] = [0, 0];
  setInterval(() => {
    const { currentTime, paused, seeking, ended, readyState } = video;
    const isStuck = !paused && !ended && !seeking && readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
    if (!isStuck || currentTime !== sec) {
      [sec, sinceMs] = [currentTime, performance.now()];
      return;
    }
    if (performance.now() - sinceMs < STUCK_MS) return;
    const target = afterGap(video.buffered, currentTime);
    const isFilled = target !== null && engine.fetchingSec !== null && engine.fetchingSec < target - INSIDE_SEC;
    if (target !== null && !isFilled) video.currentTime = target;
    else if (engine.fetchingSec === null) engine.endBeforeLast(currentTime);
  }, LOOK_EACH_MS);
}
