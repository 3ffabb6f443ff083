import { MAX_DELETE_KEYS, type Storage, type StorageKey } from '../ports/storage.ts';

/** When the store refuses so many one by one, the rest is left to the next time. */
const MOST_REFUSED = 10;

/** Deletes objects; one that the store refuses keeps no other. Answers those that are gone, and why not all are. */
export async function deleteObjects(
  storage: Storage,
  keys: readonly StorageKey[],
): Promise<{ gone: readonly StorageKey[]; failure: Error | null }> {
  const gone: StorageKey[] = [];
  const refusals: unknown[] = [];
  for (let at = 0; at < keys.length && refusals.length < MOST_REFUSED; at += MAX_DELETE_KEYS) {
    const some = keys.slice(at, at + MAX_DELETE_KEYS);
    try {
      await storage.delete(some);
      gone.push(...some);
    } catch {
      await deleteEach(some);
    }
  }
  const [cause] = refusals;
  const failure =
    refusals.length === 0
      ? null
      : new Error(`${keys.length - gone.length} of ${keys.length} objects could not be deleted.`, { cause });
  return { gone, failure };

  async function deleteEach(some: readonly StorageKey[]): Promise<void> {
    for (const key of some) {
      if (refusals.length === MOST_REFUSED) return;
      try {
        await storage.delete([key]);
        gone.push(key);
      } catch (error) {
        refusals.push(error);
      }
    }
  }
}
