const TALLEST_PX = 1080;

/**
 * Which of a video's finished H.264 rungs (heights in pixels) are offered as MP4, rising: those up to 1080, or
 * the lowest one when all are taller (interface section 8: never above 1080 unless there is nothing else).
 */
export function mp4Rungs(rungsPx: readonly number[]): number[] {
  const rising = rungsPx.toSorted((one, other) => one - other);
  const usual = rising.filter((rungPx) => rungPx <= TALLEST_PX);
  return usual.length > 0 ? usual : rising.slice(0, 1);
}
