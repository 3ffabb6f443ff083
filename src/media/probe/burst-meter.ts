/** Finds the highest frame rate of a stream over one second, from the times of its packets in approximate order. */
export type BurstMeter = {
  add(timeSec: number): void;
  /** Returns frames per second, or 0 with fewer than two frames. */
  rate(): number;
};

const WINDOW_SEC = 1;
/**
 * Minimum span of a window, in seconds. Frames within a window rarely span all of it. With a smaller span, a few fast
 * frames would count as a burst.
 */
const MIN_SPAN_SEC = 0.9;
/** Minimum distance of frames, in seconds. Closer frames count as one, because no display shows both. */
const MIN_STEP_SEC = 1 / 250;
/** Maximum frames in memory, enough for one second. */
const MAX_FRAMES = 256;

/**
 * Creates a meter that keeps the frames of one second in memory. Sorts packets, which arrive in decode order, by their
 * times.
 */
export function createBurstMeter(): BurstMeter {
  /** Times in ascending order. */
  const window: number[] = [];
  let highest = 0;
  return {
    add(timeSec) {
      const after = window.findLastIndex((known) => known <= timeSec);
      const [before = Number.NEGATIVE_INFINITY, next = Number.POSITIVE_INFINITY] = [window[after], window[after + 1]];
      if (timeSec - before < MIN_STEP_SEC || next - timeSec < MIN_STEP_SEC) return;
      window.splice(after + 1, 0, timeSec);
      const newest = window.at(-1) ?? timeSec;
      const fresh = window.findIndex((known) => known >= newest - WINDOW_SEC - MIN_STEP_SEC);
      window.splice(0, Math.max(fresh, window.length - MAX_FRAMES));
      const spanSec = newest - (window[0] ?? newest);
      highest = Math.max(highest, (window.length - 1) / Math.max(spanSec, MIN_SPAN_SEC));
    },
    rate: () => highest,
  };
}
