import { type FittingGrid, toNumber, USUAL_RATES } from './frame-rate.ts';
import type { Rational } from './source-facts.ts';

/** Finds the slowest frame grids on which the frames of a stream fit, from the times of its packets. */
export type GridMeter = {
  /** Adds a packet, in approximate order of times. */
  add(timeSec: number): void;
  /**
   * Returns the grids that keep the frames at their times, slowest first, or null with fewer than two frames. Call it
   * once, after the last packet.
   */
  fitting(): FittingGrid[] | null;
};

/** Maximum time by which a frame may be delayed to get a separate slot, as a fraction of a slot. */
export const MAX_LATE_SHARE = 0.75;

/** Minimum frame interval, in seconds. Closer frames count as one, because no display shows both. */
const MIN_STEP_SEC = 1 / 250;
/** Number of frames that are sorted before they are evaluated. H.264 and HEVC reorder at most 16 frames. */
const REORDERED_FRAMES = 20;
/**
 * Maximum share of frames that a grid may lose, so that one irregular pair of frames in a long video does not double
 * the rate of the whole video.
 */
const MAX_LOST_SHARE = 0.001;
/**
 * Maximum mean deviation of frames from their slots, in seconds. It limits the A/V offset, because audio is not moved.
 */
const MAX_MEAN_OFF_SEC = 0.01;

const MAX_GRID_FPS = 60;
const RATES: readonly Rational[] = [
  ...USUAL_RATES.filter((rate) => toNumber(rate) <= MAX_GRID_FPS),
  ...Array.from({ length: MAX_GRID_FPS }, (_, index) => ({ num: index + 1, den: 1 })),
]
  .filter((rate, index, all) => all.findIndex((one) => toNumber(one) === toNumber(rate)) === index)
  .toSorted((a, b) => toNumber(a) - toNumber(b));

/** Creates a meter that keeps only the newest frames in memory. */
export function createGridMeter(): GridMeter {
  /** Times that are not evaluated yet, in ascending order. */
  const held: number[] = [];
  const grids = RATES.map((rate) => ({ rate, perSec: toNumber(rate), slot: -1, lost: 0, offSec: 0 }));
  let firstSec: number | null = null;
  let newestSec = Number.NEGATIVE_INFINITY;
  let frames = 0;

  function judge(timeSec: number): void {
    if (timeSec - newestSec < MIN_STEP_SEC) return;
    newestSec = timeSec;
    firstSec ??= timeSec;
    frames += 1;
    for (const grid of grids) {
      const at = (timeSec - firstSec) * grid.perSec;
      const slot = Math.max(Math.round(at), grid.slot + 1);
      if (slot - at > MAX_LATE_SHARE) grid.lost += 1;
      else grid.slot = slot;
      grid.offSec += Math.abs(grid.slot - at) / grid.perSec;
    }
  }

  return {
    add(timeSec) {
      held.splice(held.findLastIndex((known) => known <= timeSec) + 1, 0, timeSec);
      if (held.length > REORDERED_FRAMES) judge(held.shift() ?? timeSec);
    },
    fitting() {
      for (const timeSec of held.splice(0)) judge(timeSec);
      if (frames < 2) return null;
      return grids
        .map(({ rate, lost, offSec }) => ({ rate, lost, meanOffSec: offSec / frames }))
        .filter(({ lost, meanOffSec }) => lost <= frames * MAX_LOST_SHARE && meanOffSec <= MAX_MEAN_OFF_SEC)
        .map(({ rate, meanOffSec }) => ({ rate, meanOffSec }));
    },
  };
}
