/** Bytes and duration of a segment or a single frame. */
export type SizedSegment = { bytes: number; sec: number };

/** Tolerance of a window's bounds in seconds, because times are sums of ticks. */
const EXACT_SEC = 1e-6;

/**
 * Returns the peak bit rate in bits per second, rounded up: "the largest bit rate of any contiguous set of segments
 * whose total duration is between 0.5 and 1.5 times the target duration" (RFC 8216 section 4.1). A short last segment
 * therefore does not determine the peak. Never returns less than the overall average, which is the result for a run
 * shorter than any window. Returns 0 without segments.
 */
export function peakOfWindows(segments: readonly SizedSegment[], targetSec: number): number {
  const [least, most] = [0.5 * targetSec - EXACT_SEC, 1.5 * targetSec + EXACT_SEC];
  let peak = averageOf(segments);
  for (let first = 0; first < segments.length; first += 1) {
    let [bytes, sec] = [0, 0];
    for (let last = first; last < segments.length; last += 1) {
      bytes += segments[last]?.bytes ?? 0;
      sec += segments[last]?.sec ?? 0;
      if (sec > most) break;
      if (sec >= least) peak = Math.max(peak, (bytes * 8) / sec);
    }
  }
  return Math.ceil(peak - ROUNDING_BPS);
}

/** Returns the average bit rate in bits per second, rounded up. Returns 0 without segments. */
export function averageOfSegments(segments: readonly SizedSegment[]): number {
  return Math.ceil(averageOf(segments) - ROUNDING_BPS);
}

/** Tolerance for sums of fractions of a second, so that an integer rate is not rounded up to the next. */
const ROUNDING_BPS = 1e-3;

function averageOf(segments: readonly SizedSegment[]): number {
  const [bytes, sec] = segments.reduce(([size, time], one) => [size + one.bytes, time + one.sec], [0, 0]);
  return sec > 0 ? (bytes * 8) / sec : 0;
}
