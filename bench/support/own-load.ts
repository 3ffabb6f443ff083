import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { readOwnGroupSec } from './cpu-group.ts';

const TICKS_PER_SEC = 100;

/**
 * Starts to measure how many cores other programs use. The returned function returns null if control groups are not
 * available.
 */
export function watchForeignLoad(): () => number | null {
  const [busySec, ownSec, startMs] = [readBusySec(), readOwnGroupSec(), performance.now()];
  return () => {
    const ownEndSec = readOwnGroupSec();
    if (ownSec === null || ownEndSec === null) return null;
    const wallSec = (performance.now() - startMs) / 1000;
    return Math.max(0, readBusySec() - busySec - (ownEndSec - ownSec)) / wallSec;
  };
}

/** Returns whether other programs use at most an eighth of the machine, which does not distort times. */
export function isQuiet(foreignCores: number | null): boolean {
  return foreignCores === null || foreignCores <= availableParallelism() / 8;
}

/** Returns the busy seconds of all cores since the machine started. */
function readBusySec(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  return (user + nice + system + irq + softirq) / TICKS_PER_SEC;
}
