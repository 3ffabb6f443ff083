import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** What tests write is a small part of it. */
const ROOMY_BYTES = 8 * 2 ** 30;

/**
 * Where tests keep databases, which are a thousand files each: in memory where that has room, since to
 * make them anew for each test file takes ten times as long on a disk with a journal.
 */
export const SCRATCH = isRoomy() ? MEMORY : tmpdir();

function isRoomy(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOMY_BYTES;
  } catch {
    // Not every system has it.
    return false;
  }
}
