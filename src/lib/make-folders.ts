import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from './has-code.ts';

/**
 * Creates a folder and its missing parents, one by one. With `recursive`, Node never returns if an existing parent
 * gives ENOENT, as `/proc` does.
 */
export async function makeFolders(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(folder)).isDirectory()) return;
    if (!hasCode(error, 'ENOENT') || (await isThere(dirname(folder)))) throw error;
    await makeFolders(dirname(folder));
    await makeFolders(folder);
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
