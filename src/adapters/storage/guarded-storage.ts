import type { Storage } from '../../ports/storage.ts';

/** Decides whether objects may be deleted, and when writes may begin. */
export type DeletionGuard = {
  /** Throws if nothing may be deleted. */
  requireOurs(): Promise<void>;
  /**
   * Resolves once the store has been checked, whatever the result. Writes wait for this, so that an empty store gets
   * its mark first.
   */
  checked(): Promise<void>;
  noteWrite(): void;
};

/**
 * Wraps a store so that nothing is deleted before the guard has allowed it: no object, no staged upload and no
 * unfinished write. Reads and writes are always allowed. A failed write removes its own unfinished bytes.
 */
export function createGuardedStorage(storage: Storage, guard: DeletionGuard): Storage {
  const { staging } = storage;
  return {
    ...storage,
    async put(key, body, options, signal) {
      await guard.checked();
      const written = await storage.put(key, body, options, signal);
      guard.noteWrite();
      return written;
    },
    async delete(keys) {
      await guard.requireOurs();
      await storage.delete(keys);
    },
    async deletePrefix(prefix, signal) {
      await guard.requireOurs();
      return await storage.deletePrefix(prefix, signal);
    },
    async sweepTemp(olderThanMs, signal) {
      await guard.requireOurs();
      return await storage.sweepTemp(olderThanMs, signal);
    },
    staging: {
      ...staging,
      async append(id, offset, body, signal) {
        await guard.checked();
        const sizeBytes = await staging.append(id, offset, body, signal);
        guard.noteWrite();
        return sizeBytes;
      },
      async commit(id, key, signal) {
        const committed = await staging.commit(id, key, signal);
        guard.noteWrite();
        return committed;
      },
      async abort(id) {
        await guard.requireOurs();
        await staging.abort(id);
      },
    },
  };
}
