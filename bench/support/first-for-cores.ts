import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What Node names the threads that a program starts itself, as the one that counts visits. */
const WORKER = 'WorkerThread';

/**
 * Puts processes before others wherever they wait for a core (`chrt` of util-linux, as root), so that what is measured
 * is not how two cores are shared with the database. Threads that a process started for work that can wait stay where
 * they are. Throws where that is not allowed.
 */
export async function putFirst(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      const name = await readFile(`/proc/${pid}/task/${thread}/comm`, 'utf8').catch(() => null);
      // One that has ended meanwhile has no name.
      if (name === null || name.trim() === WORKER) continue;
      await promisify(execFile)('chrt', ['--rr', '--pid', '1', thread]);
    }
  }
}
