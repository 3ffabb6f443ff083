import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '../../src/lib/has-code.ts';

/**
 * Returns the sorted paths of all files below a folder. A folder that is removed during the listing counts as empty.
 */
export async function listFiles(root: string): Promise<string[]> {
  return (await listBelow(root, '')).sort((a, b) => a.localeCompare(b));
}

async function listBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  });
  const lists = entries.map(async (entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return listBelow(root, name);
    return entry.isFile() ? [name] : [];
  });
  return (await Promise.all(lists)).flat();
}
