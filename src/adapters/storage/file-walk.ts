import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isKeySegment, type ListFrom, type ObjectInfo, storageKey } from '../../ports/storage.ts';
import { isFan, placesOf } from './file-place.ts';
import { ifPresent, statObject } from './file-tree.ts';

/** So many names of a folder are held and sorted at once; those behind them are looked for again. */
const NAMES_AT_ONCE = 5000;
/** Entries that one call of the system brings; the event loop goes on between two. */
const READ_AHEAD = 1024;

/** Every object whose key begins with `prefix` and comes behind `after`, in key order. */
export async function* walkObjects(root: string, from: ListFrom, signal: AbortSignal): AsyncGenerator<ObjectInfo> {
  const folder = from.prefix.slice(0, from.prefix.lastIndexOf('/') + 1);
  yield* walkFolder(root, { folder, ...from }, signal);
}

/** A folder as the keys have it, which may lie in several places: empty, or with a slash at its end. */
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

/** The names in a folder in key order, each once, folders with a slash at their end. */
function namesIn(root: string, place: Place): AsyncGenerator<string> {
  const { folder } = place;
  const lists = placesOf(folder).map((path) => sortedNames(join(root, path), place));
  const isLibrary = /^[^/]+\/$/.test(folder);
  return mergeNames(isLibrary ? [...lists, fannedNames(join(root, folder), place)] : lists);
}

/** Names of one folder on disk in key order, in slices, so that neither memory nor waits grow with it. */
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

/** The names in the fans of a library, in key order. */
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

/** A folder sorts as its keys do: with the slash that follows its name. Null for what is none of ours. */
function keyName(entry: Dirent): string | null {
  // Staged uploads, unfinished writes and what others put there (lost+found) are no objects.
  if (!isKeySegment(entry.name)) return null;
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

/** Whether keys of this name are listed; a folder that the last key lies in goes on behind it. */
function isWanted({ folder, prefix, after }: Place, name: string): boolean {
  const path = folder + name;
  if (!path.startsWith(prefix)) return false;
  return path > after || (name.endsWith('/') && after.startsWith(path));
}

/** Sorted lists as one, each name once. */
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
