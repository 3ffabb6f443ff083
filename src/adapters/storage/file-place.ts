import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** `{libraryId}/{mediaId}` at the start of a key. The id is a GUID, version 7 (RFC 9562, 5.7). */
const OF_MEDIA = /^(\d+)\/([0-9a-f]{5})([0-9a-f]{3})(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/|$)/;

/**
 * Name of a fan-out folder, over which videos are spread: `.` and five digits. No key can contain it, because no
 * segment of a key begins with a dot.
 */
const FAN = /^\.[0-9a-f]{5}$/;

/** Returns whether a folder of a library is one of its fan-out folders. */
export function isFan(name: string): boolean {
  return FAN.test(name);
}

/**
 * Returns the path below the root for the file of a key or the folder of a prefix: `{libraryId}/.{digits 1 to
 * 5}/{digits 6 to 8}/{mediaId}/…`. The first eight digits of an id are its time in steps of 65.5 s. No folder grows
 * with the library, and folders sorted by name have the order of their keys.
 */
export function placeOf(key: string): string {
  const [media = '', libraryId, first, second] = OF_MEDIA.exec(key) ?? [];
  if (media === '') return key;
  return `${libraryId}/.${first}/${second}/${key.slice(`${libraryId}/`.length)}`;
}

/**
 * Returns every possible path: the result of `placeOf` first, then `{libraryId}/{mediaId}/…`, which older versions
 * wrote.
 */
export function placesOf(key: string): string[] {
  const place = placeOf(key);
  return place === key ? [key] : [place, key];
}

/** Returns the current path of a key's file, or the path where it would be written if it does not exist. */
export function pathOf(root: string, key: string): string {
  const paths = placesOf(key).map((place) => join(root, place));
  const [newest = join(root, key), ...older] = paths;
  if (older.length === 0 || existsSync(newest)) return newest;
  return older.find((path) => existsSync(path)) ?? newest;
}
