import { shuffled } from '../../lib/shuffled.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { MAX_DELETE_KEYS, type Storage, type StorageKey } from '../../ports/storage.ts';

/** Number of consecutive failures after which the remaining objects are left to the next run. */
const MAX_CONSECUTIVE_FAILURES = 10;

/**
 * Deletes objects in any order. A failure of one object does not stop the others. Returns the deleted keys, and the
 * reasons for the failures. An abort takes effect after the next response of the store at the latest.
 */
export async function deleteObjects(
  storage: Storage,
  keys: readonly StorageKey[],
  signal: AbortSignal,
): Promise<{ gone: readonly StorageKey[]; failure: Error | null }> {
  const gone: StorageKey[] = [];
  let inARow = 0;
  let cause: unknown;
  const isOver = () => signal.aborted || inARow >= MAX_CONSECUTIVE_FAILURES;
  const all = shuffled(keys);
  for (let at = 0; at < all.length && !isOver(); at += MAX_DELETE_KEYS) {
    const some = all.slice(at, at + MAX_DELETE_KEYS);
    const areGone = await deleteSome(some);
    if (!areGone && some.length > 1) await deleteEach(some);
  }
  if (gone.length === keys.length) return { gone, failure: null };
  const message = `${keys.length - gone.length} of ${keys.length} objects could not be deleted.`;
  return { gone, failure: new Error(message, { cause: cause ?? signal.reason }) };

  async function deleteSome(some: readonly StorageKey[]): Promise<boolean> {
    try {
      await unlessAborted(storage.delete(some), signal);
      gone.push(...some);
      inARow = 0;
      return true;
    } catch (error) {
      cause ??= error;
      inARow += 1;
      return false;
    }
  }

  async function deleteEach(some: readonly StorageKey[]): Promise<void> {
    for (const key of some) {
      if (isOver()) return;
      await deleteSome([key]);
    }
  }
}
