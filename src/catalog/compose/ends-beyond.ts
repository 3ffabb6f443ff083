/** Maximum time after the end of a video that is taken for its end, because clients round lengths, in seconds. */
const ROUNDING_SEC = 1;

/** Returns whether the end of a part is after the end of its video. Null is the end of the video. */
export function endsBeyond(endMs: number | null, lengthSec: number): boolean {
  return endMs !== null && endMs / 1000 > lengthSec + ROUNDING_SEC;
}
