import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isKeySegment, type ListFrom, type ObjectInfo, storageKey } from '../../ports/storage.ts';
import { isFan, relativePathsOf } from './file-place.ts';
import { ifPresent, statObject } from './file-tree.ts';

/**
 * Maximum number of names of a folder that are sorted in one pass. The remaining names are read in additional passes.
 */
const NAMES_AT_ONCE = 5000;
/** Number of directory entries read per system call. Other work can run between two calls. */
const READ_AHEAD = 1024;

/** Yields every object whose key begins with `prefix` and sorts after `after`, in key order. */
export async function* walkObjects(root: string, from: ListFrom, signal: AbortSignal): AsyncGenerator<ObjectInfo> {
  const folder = from.prefix.slice(0, from.prefix.lastIndexOf('/') + 1);
  yield* walkFolder(root, { folder, ...from }, signal);
}

/** A folder of keys, which may have several paths on disk. `folder` is empty or ends with a slash. */
type Place = ListFrom & { folder: string };

async function* walkFolder(root: string, place: Place, signal: AbortSignal): AsyncGenerator<ObjectInfo> {
  const { folder, prefix, after } = place;
  for await (const name of namesIn(root, place)) {
    signal.throwIfAborted();
    if (name.endsWith('/')) {
      yield* walkFolder(root, { folder: folder + name, prefix, after }, signal);
      continue;
    }
    const info = await statObject(root, storageKey(folder + name));
    if (info !== null) yield info;
  }
}

/** Yields the names in a folder in key order, without duplicates. Names of folders end with a slash. */
function namesIn(root: string, place: Place): AsyncGenerator<string> {
  const { folder } = place;
  const lists = relativePathsOf(folder).map((path) => sortedNames(join(root, path), place));
  const isLibrary = /^[^/]+\/$/.test(folder);
  return mergeNames(isLibrary ? [...lists, fannedNames(join(root, folder), place)] : lists);
}

/**
 * Yields the names of one folder on disk in key order, in several passes, so that memory and blocking time do not grow
 * with the size of the folder.
 */
async function* sortedNames(path: string, place: Place): AsyncGenerator<string> {
  let last = '';
  for (;;) {
    const { names, isCut } = await smallestNames(path, (name) => name > last && isWanted(place, name));
    yield* names;
    if (!isCut) return;
    last = names.at(-1) ?? '';
  }
}

async function smallestNames(
  path: string,
  isWantedName: (name: string) => boolean,
): Promise<{ names: string[]; isCut: boolean }> {
  const dir = await ifPresent(opendir(path, { bufferSize: READ_AHEAD }));
  let names: string[] = [];
  let isCut = false;
  if (dir === null) return { names, isCut };
  for await (const entry of dir) {
    const name = keyName(entry);
    if (name === null || !isWantedName(name)) continue;
    names.push(name);
    if (names.length < 2 * NAMES_AT_ONCE) continue;
    names = names.sort(byCodeUnit).slice(0, NAMES_AT_ONCE);
    isCut = true;
  }
  names.sort(byCodeUnit);
  return isCut ? { names: names.slice(0, NAMES_AT_ONCE), isCut } : { names, isCut };
}

/** Yields the names in the fan-out folders of a library, in key order. */
async function* fannedNames(library: string, place: Place): AsyncGenerator<string> {
  const { folder, after } = place;
  const behind = after.startsWith(folder) ? after.slice(folder.length, folder.length + 8) : '';
  const fans = await entriesOf(library, isFan);
  for (const fan of fans) {
    for (const digits of await entriesOf(join(library, fan), () => true)) {
      if (fan.slice(1) + digits < behind) continue;
      yield* sortedNames(join(library, fan, digits), place);
    }
  }
}

async function entriesOf(path: string, isOne: (name: string) => boolean): Promise<string[]> {
  const names: string[] = [];
  const dir = await ifPresent(opendir(path, { bufferSize: READ_AHEAD }));
  if (dir === null) return names;
  for await (const entry of dir) if (entry.isDirectory() && isOne(entry.name)) names.push(entry.name);
  return names.sort(byCodeUnit);
}

/**
 * Returns the name of an entry as part of a key. The name of a folder includes the trailing slash, so that it is sorted
 * like its keys. Returns null for foreign entries.
 */
function keyName(entry: Dirent): string | null {
  // Staged uploads, unfinished writes and foreign files (lost+found) are not objects.
  if (!isKeySegment(entry.name)) return null;
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/** Returns whether keys with this name belong to the list. The folder that contains the key `after` does. */
function isWanted({ folder, prefix, after }: Place, name: string): boolean {
  const path = folder + name;
  if (!path.startsWith(prefix)) return false;
  return path > after || (name.endsWith('/') && after.startsWith(path));
}

/** Merges sorted lists without duplicates. */
async function* mergeNames(lists: readonly AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heads = await Promise.all(lists.map(async (list) => ({ list, head: await list.next() })));
  try {
    for (;;) {
      let least: string | null = null;
      for (const { head } of heads) {
        if (head.done !== true && (least === null || head.value < least)) least = head.value;
      }
      if (least === null) return;
      yield least;
      for (const each of heads) if (each.head.value === least) each.head = await each.list.next();
    }
  } finally {
    for (const { list } of heads) await list.return(undefined);
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : 1;
}
