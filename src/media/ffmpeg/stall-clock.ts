import type { TreeLoad } from './read-process-tree.ts';

/** Measures the time in which a child could have produced output. */
export type StallClock = {
  /** Updates the clock with the child's current load. Returns the counted seconds since the last progress. */
  look(nowSec: number, load: TreeLoad): number;
  /** Called on progress. */
  reset(): void;
};

/**
 * Starts a clock that stops while the child waits for a processor. On a busy machine, an encode may get only a
 * hundredth of a processor without being stalled. Time asleep counts in full. Time in which the child is runnable
 * counts as the processor time that it got.
 */
export function startStallClock(nowSec: number, load: TreeLoad): StallClock {
  let last = { nowSec, cpuSec: load.cpuSec };
  let countedSec = 0;
  return {
    look(at, { cpuSec, isRunnable }) {
      const passedSec = at - last.nowSec;
      // The sum decreases when a process of the tree exits.
      const usedSec = Math.max(0, cpuSec - last.cpuSec);
      countedSec += isRunnable ? Math.min(passedSec, usedSec) : passedSec;
      last = { nowSec: at, cpuSec };
      return countedSec;
    },
    reset() {
      countedSec = 0;
    },
  };
}
