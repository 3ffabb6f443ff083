/** MP4 files are offered up to this height; above it only when nothing smaller is there. */
const TALLEST_MP4_PX = 1080;

/** The rungs that are offered as MP4 files, of the H.264 rungs that a video has, rising. */
export function listMp4Rungs(rungs: readonly number[]): number[] {
  const offered = rungs.filter((rung) => rung <= TALLEST_MP4_PX);
  return offered.length > 0 ? offered : rungs.slice(0, 1);
}

/** The highest rung that is offered as an MP4 file; null when none is. */
export function chooseMp4Rung(rungs: readonly number[]): number | null {
  return listMp4Rungs(rungs).at(-1) ?? null;
}
