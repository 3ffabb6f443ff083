import type { Edge, Times } from './track.ts';

/** Range between the neighbours of an item, its minimum length, and the unit to which its times are rounded. */
export type Limits = { firstSec: number; lastSec: number; minSec: number; unitSec: number };

/** Returns the times of a moved item within its limits. The edge that is not moved stays where it is if possible. */
export function limitTimes({ startSec, endSec }: Times, edge: Edge, limits: Limits): Times {
  const { firstSec, lastSec, minSec, unitSec } = limits;
  const clamp = (sec: number, from: number, to: number) =>
    Math.round(Math.max(from, Math.min(to, Math.round(sec / unitSec) * unitSec)) * 1000) / 1000;
  switch (edge) {
    case 'start': {
      const end = clamp(endSec, firstSec + minSec, lastSec);
      return { startSec: clamp(startSec, firstSec, end - minSec), endSec: end };
    }
    case 'end': {
      const start = clamp(startSec, firstSec, lastSec - minSec);
      return { startSec: start, endSec: clamp(endSec, start + minSec, lastSec) };
    }
    case 'both': {
      const long = endSec - startSec;
      const start = clamp(startSec, firstSec, lastSec - long);
      return { startSec: start, endSec: clamp(start + long, start, lastSec) };
    }
  }
}
