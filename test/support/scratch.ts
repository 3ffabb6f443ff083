import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Minimum size of the memory file system, in bytes. Tests use only a small part of it. */
const ROOMY_BYTES = 8 * 2 ** 30;

/**
 * Folder for test databases, which consist of a thousand files each. It is in memory if there is enough space, because
 * creating the files takes ten times as long on a journaling file system.
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
