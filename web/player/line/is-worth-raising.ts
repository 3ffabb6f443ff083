/** A buffered segment, and the level of its rung. */
export type Piece = { startSec: number; endSec: number; level: number };

/** The rung that the connection sustains now, as the level and its peak rate. */
export type Sustained = { atSec: number; rate: number; level: number; peakBps: number; lineBps: number };

/** Reserve for loading the playlist of the rung and for variations of the bandwidth, in seconds. */
const RESERVE_SEC = 1;
/** Minimum ratio of the bandwidth to the peak rate of a rung that replaces buffered segments. */
const MIN_RESERVE_RATIO = 1.25;

/**
 * Returns whether buffered segments should be replaced by the sustained rung: the last segments in the buffer have
 * lower rungs, and at least one of them begins late enough to be replaced before it is played.
 */
export function isWorthRaising(buffered: readonly Piece[], { atSec, rate, ...rung }: Sustained): boolean {
  const last = buffered.reduce<Piece | null>((a, b) => (a === null || b.endSec > a.endSec ? b : a), null);
  if (last === null || last.level >= rung.level || rung.lineBps < rung.peakBps * MIN_RESERVE_RATIO) return false;
  const fetchSec = ((last.endSec - last.startSec) * rung.peakBps) / rung.lineBps;
  const firstSec = atSec + (RESERVE_SEC + fetchSec) * rate;
  return last.startSec >= firstSec;
}
