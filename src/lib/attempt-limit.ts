import { remember } from './remember.ts';

/** Whether an attempt of `key` may go on now, on the clock of `nowMs`. */
export type AttemptLimit = (key: string, nowMs: number) => boolean;

/** Keys that are remembered: the ones that were seen last. */
const MOST_KEYS = 10_000;

/** Lets `burst` attempts of each key through at once, and `perSec` a second from then on. */
export function createAttemptLimit({ burst, perSec }: { burst: number; perSec: number }): AttemptLimit {
  const known = new Map<string, { left: number; atMs: number }>();
  return (key, nowMs) => {
    const before = known.get(key) ?? { left: burst, atMs: nowMs };
    const left = Math.min(burst, before.left + ((nowMs - before.atMs) * perSec) / 1000);
    remember(known, [key, { left: left >= 1 ? left - 1 : left, atMs: nowMs }], MOST_KEYS);
    return left >= 1;
  };
}
