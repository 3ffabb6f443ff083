import type Hls from 'hls.js';

/** Into the segment, so that rounding does not end before it. */
const INSIDE_SEC = 0.05;

/**
 * Lets hls.js go on after it has set its decoder up anew, which it does by itself, too. It dates all segments but the
 * first later than the browser, by the presentation delay of their pictures: at a time between the two it finds none,
 * and would wait for ever. There the end of the segment before is shown again.
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
