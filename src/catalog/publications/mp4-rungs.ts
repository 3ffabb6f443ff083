const TALLEST_PX = 1080;

/**
 * Returns the finished H.264 rungs (heights in pixels, ascending) that are offered as MP4 files: those up to 1080, or
 * only the lowest one if all are taller. This is the rule of the hosted API.
 */
export function listMp4Rungs(rungsPx: readonly number[]): number[] {
  const offered = rungsPx.filter((rungPx) => rungPx <= TALLEST_PX);
  return offered.length > 0 ? offered : rungsPx.slice(0, 1);
}

/** Returns the highest rung that is offered as an MP4 file, or null if none is. */
export function chooseMp4Rung(rungsPx: readonly number[]): number | null {
  return listMp4Rungs(rungsPx).at(-1) ?? null;
}
