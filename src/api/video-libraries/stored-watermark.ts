import { CommitInDoubt } from '../../catalog/in-transaction.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import {
  replaceWatermark,
  watermarkKey,
  watermarkPrefix,
  watermarkVersion,
} from '../../catalog/libraries/watermark.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/** Uploads at the same time each take a version of their own; more than this many at once are refused with a time to retry. */
const VERSION_TRIES = 10;
const DROPPED_AT_ONCE = 1000;

type Deps = { libraries: LibraryStore; storage: Storage };

/** Stores a watermark as the library's next version, then shows it and deletes those before it that nobody needs. */
export async function keepWatermark(
  { library, bytes }: { library: Library; bytes: Buffer },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const version = await storeNextVersion(library, bytes, { storage, signal });
  let shown = version;
  try {
    await libraries.change(library.id, (current) => {
      shown = Math.max(version, current.settings.watermark.version);
      return replaceWatermark(current, version);
    });
  } catch (error) {
    // One that may be the library's by now stays: the next watermark takes it away, whichever of them is shown.
    if (!(error instanceof CommitInDoubt)) await storage.delete([watermarkKey(library.id, version)]);
    throw error;
  }
  await dropWatermarks({ libraryId: library.id, before: shown }, { libraries, storage }, signal);
}

/**
 * Deletes the stored watermarks of versions below `before`, at most a thousand, except those that are still burned into
 * pictures: what is encoded on demand may want one for as long as it exists.
 */
export async function dropWatermarks(
  { libraryId, before }: { libraryId: number; before: number },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const used = await libraries.usedWatermarks(libraryId);
  if (used === 'unknown') return;
  const old: StorageKey[] = [];
  for await (const { key } of storage.list(watermarkPrefix(libraryId), signal)) {
    const version = watermarkVersion(key);
    if (version !== null && version < before && !used.has(version)) old.push(key);
    if (old.length === DROPPED_AT_ONCE) break;
  }
  if (old.length > 0) await storage.delete(old);
}

async function storeNextVersion(
  { id, settings }: Library,
  bytes: Buffer,
  { storage, signal }: { storage: Storage; signal: AbortSignal },
): Promise<number> {
  for (let tried = 1; tried <= VERSION_TRIES; tried += 1) {
    const version = settings.watermark.version + tried;
    try {
      await storage.put(watermarkKey(id, version), bytes, { ifAbsent: true }, signal);
      return version;
    } catch (error) {
      if (!(error instanceof Refused && error.kind === 'conflict')) throw error;
    }
  }
  throw new Refused('busy', `Library ${id} is being given ${VERSION_TRIES} watermarks at once. Send this one again.`);
}
