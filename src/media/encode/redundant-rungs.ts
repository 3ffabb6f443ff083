/** A rung of a ladder and what its first chunk takes, in bits a second. */
export type RungRate = { rung: number; bps: number };

/** A rung must take at least this much less than the next above it to be worth its storage and processor time. */
const LEAST_STEP = 1.3;

/**
 * Names the rungs that gain nothing: with capped quality, simple pictures take so little that a viewer of a lower rung
 * saves next to nothing against the one above it. The highest stays, since it is what is sharp; the lowest stays, since
 * it is what the slowest connection gets.
 */
export function findRedundantRungs(ladder: readonly RungRate[]): number[] {
  const falling = ladder.toSorted((a, b) => b.rung - a.rung);
  let kept = falling[0];
  const redundant: number[] = [];
  for (const candidate of falling.slice(1, -1)) {
    if (kept !== undefined && kept.bps < LEAST_STEP * candidate.bps) redundant.push(candidate.rung);
    else kept = candidate;
  }
  return redundant;
}
