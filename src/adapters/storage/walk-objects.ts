import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isKeySegment, type ListFrom, type ObjectInfo, storageKey } from '../../ports/storage.ts';
import { isFan, placesOf } from './file-place.ts';
import { ifPresent, statObject } from './file-tree.ts';

/** Maximum names of a folder that are held and sorted in one pass. The rest is read again. */
const NAMES_AT_ONCE = 5000;
/** Entries per system call. Other work runs between two calls. */
const READ_AHEAD = 1024;

/** Yields every object whose key begins with `prefix` and sorts after `after`, in key order. */
export async function* walkObjects(root: string, from: ListFrom, signal: AbortSignal): AsyncGenerator<ObjectInfo> {
  const folder = from.prefix.slice(0, from.prefix.lastIndexOf('/') + 1);
  yield* walkFolder(root, { folder, ...from }, signal);
}

/** A folder in terms of keys, which may have several paths: empty, or with a slash at its end. */
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

/** Yields the names in a folder in key order, each once, folders with a slash at their end. */
function namesIn(root: string, place: Place): AsyncGenerator<string> {
  const { folder } = place;
  const lists = placesOf(folder).map((path) => sortedNames(join(root, path), place));
  const isLibrary = /^[^/]+\/$/.test(folder);
  return mergeNames(isLibrary ? [...lists, fannedNames(join(root, folder), place)] : lists);
}

/** Yields the names of one folder on disk in key order, in slices, so that neither memory nor waits grow with it. */
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

/** A folder sorts like its keys: with the slash that follows its name. Null for foreign entries. */
function keyName(entry: Dirent): string | null {
  // Staged uploads, unfinished writes and foreign files (lost+found) are not objects.
  if (!isKeySegment(entry.name)) return null;
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/** Returns whether keys of this name are listed. A folder that contains the last key continues after it. */
function isWanted({ folder, prefix, after }: Place, name: string): boolean {
  const path = folder + name;
  if (!path.startsWith(prefix)) return false;
  return path > after || (name.endsWith('/') && after.startsWith(path));
}

/** Merges sorted lists, each name once. */
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
