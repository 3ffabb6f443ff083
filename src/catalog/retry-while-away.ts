import { setTimeout as sleep } from 'node:timers/promises';
import { CommitInDoubt } from './in-transaction.ts';
import { isDatabaseAway } from './is-database-away.ts';

const FIRST_PAUSE_MS = 500;

/**
 * Limits of `retryWhileAway`. `isIdempotent` also repeats a commit whose outcome is unknown. Pauses double up to
 * `maxPauseMs`.
 */
export type Retrying = { isIdempotent: boolean; maxPauseMs: number };

/** Repeats an action while the database is down, until it succeeds, fails otherwise, or `signal` aborts. */
export async function retryWhileAway<T>(
  action: () => Promise<T>,
  { isIdempotent, maxPauseMs }: Retrying,
  signal: AbortSignal,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(maxPauseMs, 2 * pauseMs)) {
    try {
      return await action();
    } catch (error) {
      const mayPass = error instanceof CommitInDoubt ? isIdempotent : isDatabaseAway(error);
      if (!mayPass || signal.aborted) throw error;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}
