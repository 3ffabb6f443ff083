/** A segment, or a single picture: what it takes and how long it lasts. */
export type SizedSegment = { bytes: number; sec: number };

/** A window may miss its bounds by less than this: times are sums of ticks. */
const EXACT_SEC = 1e-6;

/**
 * Peak bit rate in bits per second, rounded up: "the largest bit rate of any contiguous set of segments whose total
 * duration is between 0.5 and 1.5 times the target duration" (RFC 8216 section 4.1). So a last segment of one picture
 * does not decide it. At least the average of all: a run that is shorter than any window has only that. 0 without
 * segments.
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

/** The average bit rate in bits per second, rounded up; 0 without segments. */
export function averageOfSegments(segments: readonly SizedSegment[]): number {
  return Math.ceil(averageOf(segments) - ROUNDING_BPS);
}

/** Sums of fractions of a second: a rate that is a whole number must not be rounded to the next. */
const ROUNDING_BPS = 1e-3;

function averageOf(segments: readonly SizedSegment[]): number {
  const [bytes, sec] = segments.reduce(([size, time], one) => [size + one.bytes, time + one.sec], [0, 0]);
  return sec > 0 ? (bytes * 8) / sec : 0;
}
