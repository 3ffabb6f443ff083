import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** `{libraryId}/{mediaId}` at the beginning of a key; the id is a GUID, version 7 (RFC 9562, 5.7). */
const OF_MEDIA = /^(\d+)\/([0-9a-f]{5})([0-9a-f]{3})(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\/|$)/;

/** The first folder of a fan, `.` and five digits: no key can name it, since no segment of one begins with a dot. */
const FAN = /^\.[0-9a-f]{5}$/;

/** Whether a folder of a library is one of its fans. */
export function isFan(name: string): boolean {
  return FAN.test(name);
}

/**
 * Where the file of a key, or the folder of a prefix, lies below the root:
 * `{libraryId}/.{digits 1 to 5}/{digits 6 to 8}/{mediaId}/…`. The first eight digits of an id are its time in steps of
 * 65.5 s, so no folder grows with the library, and the folders in the order of their names hold the keys in theirs.
 */
export function placeOf(key: string): string {
  const [media = '', libraryId, first, second] = OF_MEDIA.exec(key) ?? [];
  if (media === '') return key;
  return `${libraryId}/.${first}/${second}/${key.slice(`${libraryId}/`.length)}`;
}

/** Every place where it may lie: the one above first, then `{libraryId}/{mediaId}/…`, where older versions wrote. */
export function placesOf(key: string): string[] {
  const place = placeOf(key);
  return place === key ? [key] : [place, key];
}

/** The path of a key's file as it is at this moment; where it would be written when there is none. */
export function pathOf(root: string, key: string): string {
  const paths = placesOf(key).map((place) => join(root, place));
  const [newest = join(root, key), ...older] = paths;
  if (older.length === 0 || existsSync(newest)) return newest;
  return older.find((path) => existsSync(path)) ?? newest;
}
