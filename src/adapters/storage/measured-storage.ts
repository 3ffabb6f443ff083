import { metrics } from '../../lib/metrics/metrics.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage } from '../../ports/storage.ts';

/**
 * Wraps a store to measure its requests and count its failures. A refusal, such as a conflict, does not count as a
 * failure. The duration of a read is the time until its stream is open.
 */
export function createMeasuredStorage(storage: Storage): Storage {
  async function measured<T>(operation: string, action: () => Promise<T>): Promise<T> {
    const ended = metrics.storageDuration.startTimer({ operation });
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof Refused)) metrics.storageErrors.inc({ operation });
      throw error;
    } finally {
      ended();
    }
  }

  const { staging } = storage;
  return {
    ...storage,
    put: (key, body, options, signal) => measured('put', () => storage.put(key, body, options, signal)),
    read: (key, range, signal) => measured('read', () => storage.read(key, range, signal)),
    readBytes: (key, range, signal) => measured('read', () => storage.readBytes(key, range, signal)),
    head: (key) => measured('head', () => storage.head(key)),
    delete: (keys) => measured('delete', () => storage.delete(keys)),
    deletePrefix: (prefix, signal) => measured('delete', () => storage.deletePrefix(prefix, signal)),
    sweepTemp: (olderThanMs, signal) => measured('sweep', () => storage.sweepTemp(olderThanMs, signal)),
    staging: {
      ...staging,
      append: (id, offset, body, signal) => measured('append', () => staging.append(id, offset, body, signal)),
      read: (id, offset, signal) => measured('read', () => staging.read(id, offset, signal)),
      commit: (id, key, signal) => measured('commit', () => staging.commit(id, key, signal)),
      abort: (id) => measured('delete', () => staging.abort(id)),
    },
  };
}
