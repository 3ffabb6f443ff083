import type { FollowUp } from '../../catalog/db.ts';
import { CommitInDoubt } from '../../catalog/in-transaction.ts';
import type { Library, LibraryChange } from '../../catalog/libraries/library.ts';
import {
  imageKey,
  imagePrefix,
  imageVersion,
  type LibraryImage,
  replaceImage,
} from '../../catalog/libraries/library-image.ts';
import { mergeSettings } from '../../catalog/libraries/library-settings.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { unknownLibrary } from '../../catalog/libraries/read-library-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/**
 * Maximum number of attempts to claim a version. Each concurrent upload claims one version. Other uploads are refused
 * with a retry time.
 */
const VERSION_TRIES = 10;
const DROPPED_AT_ONCE = 1000;

type Deps = { libraries: LibraryStore; storage: Storage };

/** Images by name, null for one that is removed, and what changes with them. */
export type ImageChange = {
  images: ReadonlyMap<LibraryImage, Buffer | null>;
  change?: (library: Library) => LibraryChange;
  followUps?: readonly FollowUp[];
};

/**
 * Stores images as the next versions of a library, makes them the current ones in the same transaction as `change` and
 * `followUps`, and deletes earlier versions that are not in use. Null removes an image.
 */
export async function changeWithImages(
  library: Library,
  { images, change = () => ({}), followUps = [] }: ImageChange,
  { libraries, storage }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const stored = new Map<LibraryImage, number>();
  const replaced = new Map<LibraryImage, number>();
  try {
    for (const [image, bytes] of images) {
      if (bytes !== null) stored.set(image, await storeNextVersion(library, { image, bytes }, { storage, signal }));
    }
    const transition = (current: Library): LibraryChange => {
      const { settings = {}, ...others } = change(current);
      const patches = [...images.keys()].map((image) => {
        const version = stored.get(image);
        return version === undefined ? { [image]: { present: false } } : replaceImage(current, image, version).settings;
      });
      for (const image of images.keys()) {
        const { version } = current.settings[image];
        replaced.set(image, Math.max(version, stored.get(image) ?? version + 1));
      }
      return {
        ...others,
        settings: [settings, ...patches].reduce(
          (all: Record<string, unknown>, patch) => mergeSettings(all, patch ?? {}),
          {},
        ),
      };
    };
    await libraries.change(library.id, transition, ...followUps);
  } catch (error) {
    // If the outcome of the commit is unknown, the files are kept. Storing the next image deletes those not in use.
    if (!(error instanceof CommitInDoubt)) {
      await storage.delete([...stored].map(([image, version]) => imageKey(library.id, image, version)));
    }
    throw error;
  }
  for (const [image, before] of replaced) {
    await dropImages({ libraryId: library.id, image, before }, { libraries, storage }, signal);
  }
}

/** Stores an image as the library's next version and makes it the current one. */
export async function keepImage(
  { library, image, bytes }: { library: Library; image: LibraryImage; bytes: Buffer },
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  await changeWithImages(library, { images: new Map([[image, bytes]]) }, deps, signal);
}

/** Removes a library's image and deletes its file. */
export async function removeImage(
  { libraryId, image }: { libraryId: number; image: LibraryImage },
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const library = await deps.libraries.findLibrary(libraryId);
  if (library === null) throw unknownLibrary(libraryId);
  await changeWithImages(library, { images: new Map([[image, null]]) }, deps, signal);
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
