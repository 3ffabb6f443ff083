import { readFileSync, statSync } from 'node:fs';
import { quote } from './quote.ts';

/** Maximum size of a file with a secret, settings or certificates, in bytes. */
const MAX_SMALL_FILE_BYTES = 2 ** 20;

/**
 * Returns the text of a small file that an operator named. Throws an error with a readable reason for anything but a
 * regular file, because reading a pipe or a device may never end.
 */
export function readSmallFile(path: string): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error(`${quote(path)}, which is not a regular file`);
  if (found.size > MAX_SMALL_FILE_BYTES) throw new Error(`${quote(path)}, which has more than 1 MiB`);
  return readFileSync(path, 'utf8');
}
