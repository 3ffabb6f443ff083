/** A rung of a ladder and the bitrate of its first chunk, in bits per second. */
export type RungRate = { rung: number; bps: number };

/** Minimum ratio to the next higher rung that makes a rung worth its storage and processor time. */
const MIN_STEP = 1.3;

/**
 * Finds rungs without benefit: with capped quality, simple video needs so few bits that a lower rung saves its viewers
 * next to nothing over the one above it. The highest rung is kept for sharpness, the lowest for the slowest
 * connections.
 */
export function findRedundantRungs(ladder: readonly RungRate[]): number[] {
  const falling = ladder.toSorted((a, b) => b.rung - a.rung);
  let kept = falling[0];
  const redundant: number[] = [];
  for (const candidate of falling.slice(1, -1)) {
    if (kept !== undefined && kept.bps < MIN_STEP * candidate.bps) redundant.push(candidate.rung);
    else kept = candidate;
  }
  return redundant;
}
