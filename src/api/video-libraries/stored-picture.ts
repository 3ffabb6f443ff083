import { CommitInDoubt } from '../../catalog/in-transaction.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import {
  type LibraryPicture,
  pictureKey,
  picturePrefix,
  pictureVersion,
  replacePicture,
} from '../../catalog/libraries/library-picture.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/**
 * Uploads at the same time each take a version of their own; more than this many at once are refused with a time to
 * retry.
 */
const VERSION_TRIES = 10;
const DROPPED_AT_ONCE = 1000;

type Deps = { libraries: LibraryStore; storage: Storage };

/** Stores a picture as the library's next version, then shows it and deletes those before it that nobody needs. */
export async function keepPicture(
  { library, picture, bytes }: { library: Library; picture: LibraryPicture; bytes: Buffer },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const version = await storeNextVersion(library, { picture, bytes }, { storage, signal });
  let shown = version;
  try {
    await libraries.change(library.id, (current) => {
      shown = Math.max(version, current.settings[picture].version);
      return replacePicture(current, picture, version);
    });
  } catch (error) {
    // One that may be the library's by now stays: the next picture takes it away, whichever of them is shown.
    if (!(error instanceof CommitInDoubt)) await storage.delete([pictureKey(library.id, picture, version)]);
    throw error;
  }
  await dropPictures({ libraryId: library.id, picture, before: shown }, { libraries, storage }, signal);
}

/** Shows a library's picture no more and deletes it. */
export async function removePicture(
  { libraryId, picture }: { libraryId: number; picture: LibraryPicture },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  let version = 0;
  await libraries.change(libraryId, ({ settings }) => {
    version = settings[picture].version;
    return { settings: { [picture]: { present: false } } };
  });
  await dropPictures({ libraryId, picture, before: version + 1 }, { libraries, storage }, signal);
}

/**
 * Deletes the stored versions of a picture below `before`, at most a thousand, except watermarks that are still burned
 * into pictures: what is encoded on demand may want one for as long as it exists.
 */
async function dropPictures(
  { libraryId, picture, before }: { libraryId: number; picture: LibraryPicture; before: number },
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const used = picture === 'watermark' ? await libraries.usedWatermarks(libraryId) : new Set<number>();
  if (used === 'unknown') return;
  const old: StorageKey[] = [];
  for await (const { key } of storage.list(picturePrefix(libraryId, picture), signal)) {
    const version = pictureVersion(key);
    if (version !== null && version < before && !used.has(version)) old.push(key);
    if (old.length === DROPPED_AT_ONCE) break;
  }
  if (old.length > 0) await storage.delete(old);
}

async function storeNextVersion(
  { id, settings }: Library,
  { picture, bytes }: { picture: LibraryPicture; bytes: Buffer },
  { storage, signal }: { storage: Storage; signal: AbortSignal },
): Promise<number> {
  for (let tried = 1; tried <= VERSION_TRIES; tried += 1) {
    const version = settings[picture].version + tried;
    try {
      await storage.put(pictureKey(id, picture, version), bytes, { ifAbsent: true }, signal);
      return version;
    } catch (error) {
      if (!(error instanceof Refused && error.kind === 'conflict')) throw error;
    }
  }
  throw new Refused(
    'busy',
    `Library ${id} is being given ${VERSION_TRIES} pictures of a kind at once. Send this one again.`,
  );
}
