import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Tests write only a small part of it. */
const ROOMY_BYTES = 8 * 2 ** 30;

/**
 * Folder in which tests keep databases, which are a thousand files each. In memory if it has room: creating them for
 * each test file takes ten times as long on a disk with a journal.
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
