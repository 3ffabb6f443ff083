import { existsSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { readableFrom } from '../../lib/readable-from.ts';
import { Refused } from '../../lib/refused.ts';
import type { ByteRange, ObjectInfo, Storage, StorageKey } from '../../ports/storage.ts';
import { createMovingStaging } from './moving-staging.ts';

/** The store to which objects move, and the store from which they move. */
export type StorePair = { to: Storage; from: Storage };

/**
 * Presents two stores as one while the objects of one move to the other. Writes go to `to`. Reads look in `to`, then in
 * `from`, then in `to` again, because a mover copies before it deletes and the object may have moved in between. If
 * both have a key, `to` holds the later bytes. A list may omit an object that moves while the list is read. This store
 * moves nothing itself.
 */
export function createMovingStorage({ to, from }: StorePair): Storage {
  return {
    kind: to.kind,
    stepBytes: Math.max(from.stepBytes, to.stepBytes),
    async put(key, body, options, signal) {
      // An object that moved after this check is in `to`, whose own condition then applies.
      if (options.ifAbsent === true && (await from.head(key)) !== null) {
        throw new Refused('conflict', `An object is already stored as ${key}.`);
      }
      return await to.put(key, body, options, signal);
    },
    async read(key, range, signal) {
      return await firstThatHas({ to, from }, async (store) => {
        const opened = await store.read(key, range, signal);
        return store === to ? opened : { ...opened, body: goingOnIn(to, { key, range, ...opened }, signal) };
      });
    },
    async readBytes(key, range, signal) {
      return await firstThatHas({ to, from }, (store) => store.readBytes(key, range, signal));
    },
    async head(key) {
      return (await to.head(key)) ?? (await from.head(key)) ?? (await to.head(key));
    },
    list: (place, signal) => merge({ to: to.list(place, signal), from: from.list(place, signal) }),
    async delete(keys) {
      // Delete in `from` first: a mover that is copying the object then either notices the deletion, or its copy is
      // also deleted.
      await from.delete(keys);
      await to.delete(keys);
    },
    async deletePrefix(prefix, signal) {
      return (await from.deletePrefix(prefix, signal)) + (await to.deletePrefix(prefix, signal));
    },
    localPath(key) {
      // A file of `from` may disappear before it is opened. A file of `to` remains.
      const path = to.localPath(key);
      return path !== null && existsSync(path) ? path : null;
    },
    space: () => to.space(),
    async sweepTemp(olderThanMs, signal) {
      return (await from.sweepTemp(olderThanMs, signal)) + (await to.sweepTemp(olderThanMs, signal));
    },
    staging: createMovingStaging({ to, from }),
    marks: [...to.marks, ...from.marks],
  };
}

async function firstThatHas<T>({ to, from }: StorePair, look: (store: Storage) => Promise<T>): Promise<T> {
  for (const store of [to, from]) {
    try {
      return await look(store);
    } catch (error) {
      if (!(error instanceof Refused) || error.kind !== 'not-found') throw error;
    }
  }
  return await look(to);
}

type Opened = { key: StorageKey; range: ByteRange | null; info: ObjectInfo; body: Readable };

/**
 * Wraps a body that is read from `from`. If it is interrupted, possibly because its object has moved, continues at the
 * same byte in `to`.
 */
function goingOnIn(to: Storage, opened: Opened, signal: AbortSignal): Readable {
  const current = { body: opened.body, isClosed: false };
  const body = readableFrom(chunksOf(to, { ...opened, current }, signal), () => {
    current.isClosed = true;
    current.body.destroy();
  });
  return addAbortSignal(signal, body);
}

async function* chunksOf(
  to: Storage,
  { key, range, info, body, current }: Opened & { current: { body: Readable; isClosed: boolean } },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let at = range?.start ?? 0;
  try {
    for await (const chunk of body) {
      // Bodies that the port reads are byte streams.
      const bytes = chunk as Uint8Array;
      at += bytes.length;
      yield bytes;
    }
  } catch (error) {
    if (current.isClosed || signal.aborted) throw error;
    const rest = await to
      .read(key, { start: at, end: range?.end ?? Number.POSITIVE_INFINITY }, signal)
      .catch(() => null);
    if (rest === null) throw error;
    current.body = rest.body;
    if (current.isClosed || rest.info.sizeBytes !== info.sizeBytes) {
      rest.body.destroy();
      throw error;
    }
    yield* rest.body;
  }
}

type Lists = { to: AsyncIterable<ObjectInfo>; from: AsyncIterable<ObjectInfo> };

/** Merges both lists in key order, without duplicates. */
async function* merge({ to, from }: Lists): AsyncGenerator<ObjectInfo> {
  const [newer, older] = [to[Symbol.asyncIterator](), from[Symbol.asyncIterator]()];
  try {
    let behind = await older.next();
    let ahead = await newer.next();
    while (ahead.done !== true || behind.done !== true) {
      if (behind.done === true || (ahead.done !== true && ahead.value.key <= behind.value.key)) {
        if (ahead.done === true) return;
        if (behind.done !== true && behind.value.key === ahead.value.key) behind = await older.next();
        yield ahead.value;
        ahead = await newer.next();
      } else {
        yield behind.value;
        behind = await older.next();
      }
    }
  } finally {
    await Promise.all([newer.return?.(), older.return?.()]);
  }
}
