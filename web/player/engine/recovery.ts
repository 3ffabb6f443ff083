const MEDIA_RECOVERY_GAP_MS = 3_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 10_000;
/** A segment that was missing so often is passed over. */
const MISSING_TRIES = 2;

/** An error after which the engine does not go on by itself. */
export type Fault = {
  isOfMedia: boolean;
  /** The segment that the server does not have (404, 410); null for any other fault. */
  missing: { startSec: number; endSec: number } | null;
};

/** What was tried before. `retries` counts since something was loaded. */
export type Attempts = { recoveredAtMs: number; retries: number; missingAtSec: number | null; misses: number };

export type Recovery =
  /** The decoder is set up anew; what is buffered is fetched again. */
  | { kind: 'reset-media' }
  /** The playlist is read again, after a while; null goes on at the place that was reached. */
  | { kind: 'reload'; afterMs: number; atSec: number | null };

export const NO_ATTEMPTS: Attempts = {
  recoveredAtMs: Number.NEGATIVE_INFINITY,
  retries: 0,
  missingAtSec: null,
  misses: 0,
};

/** Decides how playback goes on after a fault. It never gives up: waiting grows to 10 s. */
export function recover(fault: Fault, before: Attempts, nowMs: number): { recovery: Recovery; attempts: Attempts } {
  if (fault.isOfMedia && nowMs - before.recoveredAtMs > MEDIA_RECOVERY_GAP_MS) {
    return { recovery: { kind: 'reset-media' }, attempts: { ...before, recoveredAtMs: nowMs } };
  }
  const missingAtSec = fault.missing?.startSec ?? null;
  const isSame = missingAtSec !== null && missingAtSec === before.missingAtSec;
  const misses = missingAtSec === null ? 0 : isSame ? before.misses + 1 : 1;
  const passesOver = fault.missing !== null && misses >= MISSING_TRIES;
  return {
    recovery: {
      kind: 'reload',
      afterMs: passesOver ? 0 : Math.min(FIRST_RETRY_MS * 2 ** before.retries, LONGEST_RETRY_MS),
      atSec: passesOver ? (fault.missing?.endSec ?? null) : null,
    },
    attempts: { ...before, retries: before.retries + 1, missingAtSec, misses },
  };
}
