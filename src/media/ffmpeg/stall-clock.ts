import type { TreeLoad } from './read-process-tree.ts';

/** Measures how long a child has had to produce something. */
export type StallClock = {
  /** Takes the child's current load. Returns the seconds that count since the last progress. */
  look(nowSec: number, load: TreeLoad): number;
  /** Called on progress. */
  reset(): void;
};

/**
 * Starts a clock that stops while the child waits for a processor: on a busy machine an encode may get a hundredth of
 * one, which is not its fault. Time asleep counts in full; time in which it is runnable counts as the processor time
 * that it got.
 */
export function startStallClock(nowSec: number, load: TreeLoad): StallClock {
  let last = { nowSec, cpuSec: load.cpuSec };
  let countedSec = 0;
  return {
    look(at, { cpuSec, isRunnable }) {
      const passedSec = at - last.nowSec;
      // When a process of the tree ends, its time leaves the sum.
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
