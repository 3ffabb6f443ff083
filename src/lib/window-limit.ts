import { remember } from './remember.ts';

/** Maximum number of attempts per window. */
export type WindowRate = { max: number; windowMs: number };

/**
 * Maximum number of wrong keys and passwords from one address per window. Keys have 256 bits, so for keys this only
 * limits the load on the log and the database. For passwords it limits spraying: one password tried on many accounts.
 */
export const ADDRESS_RATE: WindowRate = { max: 10, windowMs: 60_000 };
/** Wrong passwords and codes of one account, from all addresses. */
export const ACCOUNT_RATE: WindowRate = { max: 10, windowMs: 15 * 60_000 };
const MAX_REMEMBERED_KEYS = 10_000;

/**
 * Counts attempts, or only failed ones, per address or account. An attempt may be counted before its result is known,
 * then forgiven if it succeeded.
 */
export type WindowLimit = {
  isReached(key: string): boolean;
  count(key: string): void;
  forgive(key: string): void;
};

/** Counts in memory, for one process. The oldest entries are forgotten first. */
export function createWindowLimit(now: () => number = Date.now, rate: WindowRate = ADDRESS_RATE): WindowLimit {
  const attempts = new Map<string, { count: number; until: number }>();
  const recent = (key: string) => {
    const found = attempts.get(key);
    return found !== undefined && found.until > now() ? found : null;
  };
  const add = (key: string, count: number) => {
    const known = recent(key) ?? { count: 0, until: now() + rate.windowMs };
    remember(attempts, [key, { ...known, count: Math.max(0, known.count + count) }], MAX_REMEMBERED_KEYS);
  };
  return {
    isReached: (key) => (recent(key)?.count ?? 0) >= rate.max,
    count: (key) => add(key, 1),
    forgive: (key) => add(key, -1),
  };
}
