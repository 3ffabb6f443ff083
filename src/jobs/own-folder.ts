import { closeSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryLock } from '../lib/lock-file.ts';

const OWN_NAME = /^worker-\d+$/;
/** More processes on one folder than any machine has workers. */
const MAX_OWNERS = 256;

/**
 * Makes an empty folder `worker-{n}` in `parent` that is this process's own until it ends, and removes those whose
 * owner has ended. A lock tells, not the number of a process: others may be in another container, or on another
 * machine that shares the folder.
 */
export async function takeOwnFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  const own = takeFree(parent);
  for (const name of await readdir(parent)) {
    if (!OWN_NAME.test(name)) continue;
    const folder = join(parent, name);
    const lock = folder === own ? null : tryLock(lockOf(folder));
    if (lock === null) continue;
    await rm(folder, { recursive: true, force: true });
    closeSync(lock);
  }
  await rm(own, { recursive: true, force: true });
  await mkdir(own);
  return own;
}

/** Lock files stay: one that was removed could be locked by two, under the same name. */
function takeFree(parent: string): string {
  for (let number = 1; number <= MAX_OWNERS; number += 1) {
    const folder = join(parent, `worker-${number}`);
    if (tryLock(lockOf(folder)) !== null) return folder;
  }
  throw new Error(`Expected at most ${MAX_OWNERS} processes to share ${parent}. Give some a data folder of their own.`);
}

function lockOf(folder: string): string {
  return `${folder}.lock`;
}
