import type { TreeLoad } from './read-process-tree.ts';

/** Measures how long a child has had to bring something forth. */
export type StallClock = {
  /** Says what the child is like now; answers the seconds that count since the last progress. */
  look(nowSec: number, load: TreeLoad): number;
  /** Something came forth. */
  reset(): void;
};

/**
 * Starts a clock that stands still while the child waits for a processor: on a busy machine an encode may get a
 * hundredth of one, which is no fault of its own. Time in which the child sleeps counts whole, time in which it could
 * run counts as the processor time that it got.
 */
export function startStallClock(nowSec: number, load: TreeLoad): StallClock {
  let last = { nowSec, cpuSec: load.cpuSec };
  let countedSec = 0;
  return {
    look(at, { cpuSec, isRunnable }) {
      const passedSec = at - last.nowSec;
      // A process of the tree that ended takes its time out of the sum.
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
