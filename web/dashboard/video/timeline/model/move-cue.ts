import { limitTimes } from './limit-times.ts';
import type { Edge, Times } from './track.ts';

const MIN_SEC = 0.1;
const UNIT_SEC = 0.001;

/** Moves a caption line on the timeline. It stays between its neighbours. */
export function moveCue<T extends Times>(
  cues: readonly T[],
  index: number,
  { to, edge, lengthSec }: { to: Times; edge: Edge; lengthSec: number },
): T[] {
  const firstSec = cues[index - 1]?.endSec ?? 0;
  const lastSec = cues[index + 1]?.startSec ?? Math.max(lengthSec, cues[index]?.endSec ?? 0);
  // A neighbour without a valid time does not limit the line.
  const times = limitTimes(to, edge, {
    firstSec: Number.isFinite(firstSec) ? firstSec : 0,
    lastSec: Number.isFinite(lastSec) ? lastSec : lengthSec,
    minSec: MIN_SEC,
    unitSec: UNIT_SEC,
  });
  return cues.map((cue, at) => (at === index ? { ...cue, ...times } : cue));
}
