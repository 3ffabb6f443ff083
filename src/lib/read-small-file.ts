import { readFileSync, statSync } from 'node:fs';
import { quote } from './quote.ts';

/** Maximum size of a file with a secret, settings or certificates, in bytes. */
const MAX_SMALL_FILE_BYTES = 2 ** 20;

/**
 * Returns the text of a file that a setting names. Throws unless it is a regular file of at most 1 MiB, because reading
 * a pipe or a device may never end. The message completes "expected …, got".
 */
export function readSmallFile(path: string): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error(`${quote(path)}, which is not a regular file`);
  if (found.size > MAX_SMALL_FILE_BYTES) throw new Error(`${quote(path)}, which has more than 1 MiB`);
  return readFileSync(path, 'utf8');
}
