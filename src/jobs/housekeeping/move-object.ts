import type { RefusalKind } from '../../lib/error-catalogue.ts';
import { Refused } from '../../lib/refused.ts';
import type { ObjectInfo, Storage, StorageKey } from '../../ports/storage.ts';

/** The two stores of a move. `mayDelete` throws if another process may have taken over the move. */
export type MoveStores = { from: Storage; to: Storage; mayDelete: () => Promise<void> };

/**
 * Moves one object: copies it completely, verifies it in the new store, then deletes it from the old one. May be
 * interrupted at any point and repeated. Keeps an object that the new store already has, because it was copied or
 * written later. If an object is deleted from both stores during the move, as `createMovingStorage` does, its copy is
 * deleted too.
 */
export async function moveObject(key: StorageKey, stores: MoveStores, signal: AbortSignal): Promise<void> {
  const { from, to, mayDelete } = stores;
  const isThere = (await to.head(key)) !== null;
  const copy = isThere ? null : await copyObject(key, stores, signal);
  if (copy !== null && (await from.head(key)) === null) return await takeBack(copy, stores);
  if (!isThere && copy === null && (await to.head(key)) === null) return;
  signal.throwIfAborted();
  await mayDelete();
  await from.delete([key]);
}

/** Copies an object. Returns null if the object was deleted during the copy, or another process wrote the copy. */
async function copyObject(key: StorageKey, { from, to }: MoveStores, signal: AbortSignal): Promise<ObjectInfo | null> {
  const source = await from.read(key, null, signal).catch(nullIf('not-found'));
  if (source === null) return null;
  const put = to
    .put(key, source.body, { ifAbsent: true, lengthBytes: source.info.sizeBytes }, signal)
    .finally(() => source.body.destroy());
  const written = await put.catch(nullIf('conflict'));
  if (written === null) return null;
  const { sizeBytes } = source.info;
  if (written.sizeBytes !== sizeBytes) {
    await to.delete([key]);
    throw new Error(`Expected ${sizeBytes} bytes of ${key} to copy, got ${written.sizeBytes}.`);
  }
  const copy = await to.head(key);
  return copy?.sizeBytes === sizeBytes ? copy : null;
}

/** Deletes the copy if the original was deleted while it was copied. */
async function takeBack(copy: ObjectInfo, { to, mayDelete }: MoveStores): Promise<void> {
  await mayDelete();
  if ((await to.head(copy.key))?.etag === copy.etag) await to.delete([copy.key]);
}

function nullIf(kind: RefusalKind) {
  return (error: unknown): null => {
    if (error instanceof Refused && error.kind === kind) return null;
    throw error;
  };
}
