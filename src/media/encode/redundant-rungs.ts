/** A rung of a ladder and the bit rate of its first chunk, in bits per second. */
export type RungRate = { rung: number; bps: number };

/**
 * Minimum ratio of bit rates between adjacent rungs. A lower ratio does not justify the storage and processor time of
 * the lower rung.
 */
const MIN_BITRATE_RATIO = 1.3;

/**
 * Finds redundant rungs. With capped quality, simple video needs so few bits that a lower rung saves viewers almost
 * nothing over the one above it. Keeps the highest rung for sharpness and the lowest for the slowest connections.
 */
export function findRedundantRungs(ladder: readonly RungRate[]): number[] {
  const falling = ladder.toSorted((a, b) => b.rung - a.rung);
  let kept = falling[0];
  const redundant: number[] = [];
  for (const candidate of falling.slice(1, -1)) {
    if (kept !== undefined && kept.bps < MIN_BITRATE_RATIO * candidate.bps) redundant.push(candidate.rung);
    else kept = candidate;
  }
  return redundant;
}
