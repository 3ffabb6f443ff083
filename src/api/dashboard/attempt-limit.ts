import { remember } from '../../lib/remember.ts';

const WINDOW_MS = 60_000;
/**
 * Maximum number of wrong keys from one address per window. Keys have 256 bits, so this only limits the load on the log
 * and the database.
 */
const MAX_FAILURES = 10;
const MAX_ADDRESSES = 10_000;

/** Counter of wrong keys per caller address. */
export type AttemptLimit = { isReached(address: string): boolean; fail(address: string): void };

/** Creates a counter in the memory of this process. The oldest addresses are forgotten first. */
export function createAttemptLimit(now: () => number = Date.now): AttemptLimit {
  const failures = new Map<string, { count: number; until: number }>();
  const recent = (address: string) => {
    const found = failures.get(address);
    return found !== undefined && found.until > now() ? found : null;
  };
  return {
    isReached: (address) => (recent(address)?.count ?? 0) >= MAX_FAILURES,
    fail(address) {
      const known = recent(address) ?? { count: 0, until: now() + WINDOW_MS };
      remember(failures, [address, { ...known, count: known.count + 1 }], MAX_ADDRESSES);
    },
  };
}
