const LOOK_EACH_MS = 500;
/** The engine itself jumps over what is short; this long nothing has moved. */
const STUCK_MS = 2_500;
/** Playback goes on with so much ahead of it: then something else holds it up. */
const ENOUGH_SEC = 0.5;
/** Into the next stretch, so that rounding does not end before it. */
const INSIDE_SEC = 0.05;

/** The place after a gap at which loaded media goes on; null while there is none. */
export function afterGap(buffered: Pick<TimeRanges, 'length' | 'start' | 'end'>, sec: number): number | null {
  for (let index = 0; index < buffered.length; index += 1) {
    const [start, end] = [buffered.start(index), buffered.end(index)];
    if (start <= sec && sec + ENOUGH_SEC < end) return null;
    if (start > sec) return start + INSIDE_SEC;
  }
  return null;
}

type Engine = {
  /** Where it fetches media that has not come yet; null while it fetches none. */
  readonly fetchingSec: number | null;
  /** Ends a video at what is loaded of it, if nothing but its last segment follows. */
  endBeforeLast(sec: number): void;
};

/**
 * Jumps over gaps of the media at which playback stands still, however long they are, unless they are being filled; a
 * video of whose last segment nothing can be shown ends before it.
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
