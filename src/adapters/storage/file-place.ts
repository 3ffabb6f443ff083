import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Matches `{libraryId}/{mediaId}` at the start of a key. The id is a GUID of version 7 (RFC 9562 section 5.7). */
const OF_MEDIA = /^(\d+)\/([0-9a-f]{5})([0-9a-f]{3})(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/|$)/;

/**
 * Matches the name of a fan-out folder: `.` and five hexadecimal digits. Videos are distributed over such folders. A
 * key cannot contain such a name, because no segment of a key begins with a dot.
 */
const FAN = /^\.[0-9a-f]{5}$/;

/** Returns whether a folder of a library is one of its fan-out folders. */
export function isFan(name: string): boolean {
  return FAN.test(name);
}

/**
 * Returns the path below the root for the file of a key or the folder of a prefix: `{libraryId}/.{digits 1 to
 * 5}/{digits 6 to 8}/{mediaId}/…`. The first eight digits of an id are its time in steps of 65.5 s. Therefore no folder
 * contains all videos of a library, and the order of folder names is the order of keys.
 */
export function relativePathOf(key: string): string {
  const [media = '', libraryId, first, second] = OF_MEDIA.exec(key) ?? [];
  if (media === '') return key;
  return `${libraryId}/.${first}/${second}/${key.slice(`${libraryId}/`.length)}`;
}

/**
 * Returns all paths that a file may have: the result of `relativePathOf`, then `{libraryId}/{mediaId}/…`, which older
 * versions wrote.
 */
export function relativePathsOf(key: string): string[] {
  const relativePath = relativePathOf(key);
  return relativePath === key ? [key] : [relativePath, key];
}

/** Returns the current path of a key's file, or the path where it would be written if it does not exist. */
export function pathOf(root: string, key: string): string {
  const paths = relativePathsOf(key).map((relativePath) => join(root, relativePath));
  const [newest = join(root, key), ...older] = paths;
  if (older.length === 0 || existsSync(newest)) return newest;
  return older.find((path) => existsSync(path)) ?? newest;
}
