import type Hls from 'hls.js';

/** Offset into the segment, so that rounding does not end before it. */
const INSIDE_SEC = 0.05;

/**
 * Lets hls.js continue after a decoder reset, including its own resets. It times all segments but the first later than
 * the browser, by the presentation delay of their frames. At a time between the two it finds no segment, and would wait
 * forever. In that case the end of the previous segment is shown again.
 */
export function resetWithinSegment(hls: Hls): void {
  const reset = hls.recoverMediaError.bind(hls);
  hls.recoverMediaError = () => {
    const sec = hls.media?.currentTime ?? 0;
    const before = hls.latestLevelDetails?.fragments.findLast(({ start }) => start <= sec);
    reset();
    if (before !== undefined && before.end <= sec) hls.startLoad(before.end - INSIDE_SEC);
  };
}
