import { CommitInDoubt } from '../../catalog/in-transaction.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import {
  imageKey,
  imagePrefix,
  imageVersion,
  type LibraryImage,
  replaceImage,
} from '../../catalog/libraries/library-image.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/**
 * Maximum number of attempts to claim a version. Each concurrent upload claims one version. Other uploads are refused
 * with a retry time.
 */
const VERSION_TRIES = 10;
const DROPPED_AT_ONCE = 1000;

type Deps = { libraries: LibraryStore; storage: Storage };

/**
 * Stores an image as the library's next version, makes it the current one, and deletes earlier versions that are not in
 * use.
 */
export async function keepImage(
  { library, image, bytes }: { library: Library; image: LibraryImage; bytes: Buffer },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const version = await storeNextVersion(library, { image, bytes }, { storage, signal });
  let shown = version;
  try {
    await libraries.change(library.id, (current) => {
      shown = Math.max(version, current.settings[image].version);
      return replaceImage(current, image, version);
    });
  } catch (error) {
    // If the outcome of the commit is unknown, the file is kept. Storing the next image deletes the file that is not in
    // use.
    if (!(error instanceof CommitInDoubt)) await storage.delete([imageKey(library.id, image, version)]);
    throw error;
  }
  await dropImages({ libraryId: library.id, image, before: shown }, { libraries, storage }, signal);
}

/** Removes a library's image and deletes its file. */
export async function removeImage(
  { libraryId, image }: { libraryId: number; image: LibraryImage },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  let version = 0;
  await libraries.change(libraryId, ({ settings }) => {
    version = settings[image].version;
    return { settings: { [image]: { present: false } } };
  });
  await dropImages({ libraryId, image, before: version + 1 }, { libraries, storage }, signal);
}

/**
 * Deletes the stored versions of an image below `before`, at most a thousand, except watermarks that are still in use:
 * on-demand encoding may need a watermark as long as its video exists.
 */
async function dropImages(
  { libraryId, image, before }: { libraryId: number; image: LibraryImage; before: number },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const used = image === 'watermark' ? await libraries.usedWatermarks(libraryId) : new Set<number>();
  if (used === 'unknown') return;
  const old: StorageKey[] = [];
  for await (const { key } of storage.list(imagePrefix(libraryId, image), signal)) {
    const version = imageVersion(key);
    if (version !== null && version < before && !used.has(version)) old.push(key);
    if (old.length === DROPPED_AT_ONCE) break;
  }
  if (old.length > 0) await storage.delete(old);
}

async function storeNextVersion(
  { id, settings }: Library,
  { image, bytes }: { image: LibraryImage; bytes: Buffer },
  { storage, signal }: { storage: Storage; signal: AbortSignal },
): Promise<number> {
  for (let tried = 1; tried <= VERSION_TRIES; tried += 1) {
    const version = settings[image].version + tried;
    try {
      await storage.put(imageKey(id, image, version), bytes, { ifAbsent: true }, signal);
      return version;
    } catch (error) {
      if (!(error instanceof Refused && error.kind === 'conflict')) throw error;
    }
  }
  throw new Refused(
    'busy',
    `Library ${id} is already storing ${VERSION_TRIES} images of this kind. Send the image again later.`,
  );
}
