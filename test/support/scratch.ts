import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Required size of the memory file system, of which tests use only a small part. */
const ROOMY_BYTES = 8 * 2 ** 30;

/**
 * Folder in which tests keep databases, which have a thousand files each. In memory if there is enough space: creating
 * them for each test file takes ten times as long on a disk with a journal.
 */
export const SCRATCH = isRoomy() ? MEMORY : tmpdir();

function isRoomy(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOMY_BYTES;
  } catch {
    // Not every system has /dev/shm.
    return false;
  }
}
