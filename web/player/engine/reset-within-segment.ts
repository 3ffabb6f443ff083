import type Hls from 'hls.js';

/** Offset into the segment, in seconds, so that a rounded position is not before it. */
const INSIDE_SEC = 0.05;

/**
 * Lets hls.js continue after a decoder reset, including resets by hls.js itself. The times of all segments except the
 * first are later in hls.js than in the browser, by the presentation delay. At a position between the two times, hls.js
 * finds no segment and would wait forever. In that case, the end of the previous segment is shown again.
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
