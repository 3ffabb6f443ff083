import { Readable } from 'node:stream';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import { type Storage, StorageAway } from '../../ports/storage.ts';

/**
 * The same store for callers who wait for an answer: what moves few bytes is `StorageAway` when it takes longer than
 * `limitMs`, whatever hangs below. Streams go by the limits of the store itself.
 */
export function createTimedStorage(storage: Storage, limitMs: number): Storage {
  const places = storage.marks.map(({ place }) => place).join(' and ');

  /** An action that does not heed the signal goes on without anybody waiting for it. */
  async function inTime<T>(action: (late: AbortSignal) => Promise<T>): Promise<T> {
    const late = AbortSignal.timeout(limitMs);
    try {
      return await unlessAborted(action(late), late);
    } catch (error) {
      if (!late.aborted) throw error;
      throw new StorageAway(`The store ${places} has not answered within ${limitMs} ms.`, { cause: error });
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
