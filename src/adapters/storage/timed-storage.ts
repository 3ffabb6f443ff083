import { Readable } from 'node:stream';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { type Storage, StorageAway } from '../../ports/storage.ts';

/**
 * Wraps a store for callers who wait for a response. Operations that transfer few bytes throw `StorageAway` if they
 * exceed `limitMs`, whatever the cause. Streams only have the time limits of the store itself.
 */
export function createTimedStorage(storage: Storage, limitMs: number): Storage {
  const locations = storage.marks.map(({ location }) => location).join(' and ');

  /** Runs an action with the time limit. An action that ignores the signal continues, but is not awaited. */
  async function inTime<T>(action: (late: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(limitMs);
    try {
      return await unlessAborted(action(late), late);
    } catch (error) {
      if (!late.aborted) throw error;
      throw new StorageAway(`The store ${locations} has not responded within ${limitMs} ms.`, { cause: error });
    }
  }

  return {
    ...storage,
    put: (key, body, options, signal) =>
      body instanceof Readable
        ? storage.put(key, body, options, signal)
        : inTime((late) => storage.put(key, body, options, AbortSignal.any([signal, late]))),
    readBytes: (key, range, signal) => inTime((late) => storage.readBytes(key, range, AbortSignal.any([signal, late]))),
    head: (key) => inTime(() => storage.head(key)),
    delete: (keys) => inTime(() => storage.delete(keys)),
    space: () => inTime(() => storage.space()),
  };
}
