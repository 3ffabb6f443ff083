/** Maximum time after the end of a video that counts as its end, in seconds. Clients round lengths. */
const MAX_ROUNDING_SEC = 1;

/** Returns whether the end of a part is after the end of its video. Null is the end of the video. */
export function endsBeyond(endMs: number | null, lengthSec: number): boolean {
  return endMs !== null && endMs / 1000 > lengthSec + MAX_ROUNDING_SEC;
}
