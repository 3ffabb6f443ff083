import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { readOwnGroupSec } from './cpu-group.ts';

const TICKS_PER_SEC = 100;

/** Begins to watch how many cores work for others. Answers null where control groups cannot be used. */
export function watchForeignLoad(): () => number | null {
  const [busySec, ownSec, startMs] = [readBusySec(), readOwnGroupSec(), performance.now()];
  return () => {
    const ownEndSec = readOwnGroupSec();
    if (ownSec === null || ownEndSec === null) return null;
    const wallSec = (performance.now() - startMs) / 1000;
    return Math.max(0, readBusySec() - busySec - (ownEndSec - ownSec)) / wallSec;
  };
}

/** A share of the machine that others may take without spoiling times: an eighth. */
export function isQuiet(foreignCores: number | null): boolean {
  return foreignCores === null || foreignCores <= availableParallelism() / 8;
}

/** Seconds that all cores together have worked since the machine started. */
function readBusySec(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  return (user + nice + system + irq + softirq) / TICKS_PER_SEC;
}
