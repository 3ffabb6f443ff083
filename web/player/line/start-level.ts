import type { Line } from './estimate-line.ts';

/** A rung of a playlist. `peakBps` includes the audio. */
export type Rung = { widthPx: number; heightPx: number; averageBps: number; peakBps: number };

/** Size of the player in device pixels. */
export type PlayerSize = { widthPx: number; heightPx: number };

export type Start = { line: Line; size: PlayerSize; maxBytes?: number | undefined };

/** Duration of the first segment in seconds. */
const SEGMENT_SEC = 4;
/** Maximum time to load the first segment that still feels immediate, in seconds. */
const FIRST_SEGMENT_SEC = 0.5;
const CAREFUL_SEGMENT_SEC = 0.8;
/** Maximum fraction of the bandwidth that a rung may need, so that the buffer grows. */
const CARRIED_SHARE = 0.8;
/** Factor by which video may be enlarged before the next rung is used. */
const MAX_ENLARGEMENT = 1.05;
/** Maximum height of automatic selection for viewers who asked to save data. */
const MAX_SAVING_HEIGHT_PX = 480;

/**
 * Chooses the rung to start with. `rungs` must be sorted by ascending rate. The result is the highest rung whose first
 * segment loads within `FIRST_SEGMENT_SEC`, but at most one rung below the highest one that the connection sustains. It
 * is not higher than useful at the player's size. If the bandwidth is unknown or the viewer saves data, the result is
 * the lowest rung.
 */
export function chooseStartLevel(rungs: readonly Rung[], { line, size, maxBytes = Number.POSITIVE_INFINITY }: Start) {
  const { bps, care } = line;
  if (bps === null || care === 'saving') return 0;
  const highest = highestShown(rungs, size);
  const maxPx = rungs[highest]?.heightPx ?? 0;
  const find = (fits: (rung: Rung) => boolean) =>
    rungs.findLastIndex((rung) => rung.heightPx <= maxPx && bytesOf(rung) <= maxBytes && fits(rung));
  const withinSec = care === 'none' ? FIRST_SEGMENT_SEC : CAREFUL_SEGMENT_SEC;
  const immediate = find(({ averageBps }) => (averageBps * SEGMENT_SEC) / bps <= withinSec);
  if (care !== 'none') return Math.max(0, immediate);
  const carriedPx = rungs[find(({ peakBps }) => peakBps <= bps * CARRIED_SHARE)]?.heightPx ?? 0;
  const below = find(({ heightPx, peakBps }) => heightPx < carriedPx && peakBps <= bps * CARRIED_SHARE);
  return Math.max(0, immediate, below);
}

/** Returns the index of the highest rung that automatic selection may choose, or -1 if all are allowed. */
export function highestAllowed(rungs: readonly Rung[], { care }: Line): number {
  if (care !== 'saving') return -1;
  return Math.max(
    0,
    rungs.findLastIndex(({ heightPx }) => heightPx <= MAX_SAVING_HEIGHT_PX),
  );
}

/** Returns the index of the lowest rung that fills the player without enlargement, or else of the last one. */
export function highestShown(rungs: readonly Rung[], size: PlayerSize): number {
  const index = rungs.findIndex(({ widthPx, heightPx }) => {
    if (widthPx <= 0 || heightPx <= 0) return false;
    return Math.min(size.widthPx / widthPx, size.heightPx / heightPx) <= MAX_ENLARGEMENT;
  });
  return index === -1 ? rungs.length - 1 : index;
}

/**
 * Returns the maximum size of the first segment, in bytes. It follows from the peak rate, because the largest segment
 * may be the first.
 */
function bytesOf({ peakBps }: Rung): number {
  return (peakBps * SEGMENT_SEC) / 8;
}
