import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { userFolder } from '../../config/user-folder.ts';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { replaceFile } from '../../lib/replace-file.ts';

/** Returns the path of a file in the user's configuration folder. */
export function privatePath(name: string): string {
  return join(userFolder(), name);
}

/**
 * Reads a JSON object in the user's configuration folder. Returns an empty object if the file does not exist. Throws
 * `Refused` if it is damaged.
 */
export async function readPrivate<Value>(name: string): Promise<Record<string, Value>> {
  const path = privatePath(name);
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    // Only this program writes the file.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, Value>;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return {};
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Refused('invalid', `expected a JSON object in ${path}. Correct the file, or delete it and sign in again.`);
}

/** Writes the file atomically, readable only by its owner. */
export async function writePrivate(name: string, values: Record<string, unknown>): Promise<void> {
  const path = privatePath(name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify(values, null, 1)}\n`, 0o600);
}
