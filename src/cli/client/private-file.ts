import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { userFolder } from '../../config/user-folder.ts';
import { hasCode } from '../../lib/has-code.ts';
import { replaceFile } from '../../lib/replace-file.ts';

/** Returns the path of a file in the user's configuration folder. */
export function privatePath(name: string): string {
  return join(userFolder(), name);
}

/** Reads a JSON file in the user's configuration folder. Returns an empty object if the file does not exist. */
export async function readPrivate<Value>(name: string): Promise<Record<string, Value>> {
  try {
    return JSON.parse(await readFile(privatePath(name), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {};
    throw error;
  }
}

/** Writes the file atomically, readable only by its owner. */
export async function writePrivate(name: string, values: Record<string, unknown>): Promise<void> {
  const path = privatePath(name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(values, null, 1)}\n`, 0o600);
}
