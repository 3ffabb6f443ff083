import { closeSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from '../../lib/try-lock.ts';

const OWN_NAME = /^worker-\d+$/;
/** Maximum number of folders. No machine has that many workers. */
const MAX_OWNERS = 256;

/**
 * Creates an empty folder `worker-{n}` in `parent` that belongs to this process until it exits, and removes folders
 * whose owner has exited. Reports folders that cannot be removed, and keeps them. A lock determines the owner, not a
 * process id, because other processes may be in another container or on another machine that shares the folder.
 */
export async function takeOwnFolder(parent: string, report: (error: Error) => void): Promise<string> {
  await mkdir(parent, { recursive: true });
  const own = await takeFree(parent);
  for (const name of await readdir(parent)) {
    const folder = join(parent, name);
    if (!OWN_NAME.test(name) || folder === own) continue;
    try {
      const lock = await lockAndRemove(folder);
      if (lock !== null) closeSync(lock);
    } catch (cause) {
      report(
        new Error(`Could not remove the files that a worker left in ${folder}. Remove the folder by hand.`, { cause }),
      );
    }
  }
  await mkdir(own);
  return own;
}

/** Takes the first free folder. Skips folders that cannot be locked or removed. */
async function takeFree(parent: string): Promise<string> {
  let cause: unknown;
  for (let number = 1; number <= MAX_OWNERS; number += 1) {
    const folder = join(parent, `worker-${number}`);
    try {
      if ((await lockAndRemove(folder)) !== null) return folder;
    } catch (error) {
      cause ??= error;
    }
  }
  const expected = `Expected at most ${MAX_OWNERS} processes to share ${parent}, and the folder to be writable.`;
  throw new Error(`${expected} Give some of them their own data folder.`, { cause });
}

/**
 * Locks a folder and removes its content. Returns null if another process owns the folder. Lock files are never
 * removed, because otherwise two processes could lock different files with the same name.
 */
async function lockAndRemove(folder: string): Promise<number | null> {
  const lock = tryLock(`${folder}.lock`);
  if (lock === null) return null;
  try {
    await rm(folder, { recursive: true, force: true });
    return lock;
  } catch (error) {
    closeSync(lock);
    throw error;
  }
}
