import { remember } from './remember.ts';

/** Returns whether an attempt with `key` is allowed at `nowMs`. */
export type AttemptLimit = (key: string, nowMs: number) => boolean;

/** Maximum keys in memory. The least recently seen ones are dropped. */
const MAX_KEYS = 10_000;

export type AttemptRate = { burst: number; perSec: number };

/** Allows `burst` attempts with each key at once, and `perSec` attempts a second after that. */
export function createAttemptLimit({ burst, perSec }: AttemptRate): AttemptLimit {
  const known = new Map<string, { left: number; atMs: number }>();
  return (key, nowMs) => {
    const before = known.get(key) ?? { left: burst, atMs: nowMs };
    const left = Math.min(burst, before.left + ((nowMs - before.atMs) * perSec) / 1000);
    remember(known, [key, { left: left >= 1 ? left - 1 : left, atMs: nowMs }], MAX_KEYS);
    return left >= 1;
  };
}
