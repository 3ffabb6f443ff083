import { open } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../lib/has-code.ts';
import { readLines } from './copy-rows.ts';

/** File in the folder of the tables, in the format of sha256sum. Paths are relative to the folder `objects`. */
const FILE = 'objects.sha256';

/** SHA-256 of each object of a backup in hex, by key. */
export type ObjectList = ReadonlyMap<string, string>;

/** Writes the list next to the tables. */
export async function writeObjectList(tables: string, list: ObjectList): Promise<void> {
  const file = await open(path.join(tables, FILE), 'w', 0o600);
  try {
    for (const [key, sha256] of list) await file.write(`${sha256}  ${key}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Returns the list next to the tables, or null for a backup of an earlier version, which has none. */
export async function readObjectList(tables: string): Promise<ObjectList | null> {
  const list = new Map<string, string>();
  try {
    for await (const line of readLines(path.join(tables, FILE))) {
      const [sha256 = '', key = ''] = line.split('  ', 2);
      list.set(key, sha256);
    }
    return list;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
