import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Node's name for worker threads, such as the thread that counts sessions. */
const WORKER = 'WorkerThread';

/**
 * Gives processes a higher scheduling priority (`chrt` of util-linux, as root), so that the measurement does not depend
 * on how two cores are shared with the database. Worker threads for deferrable work keep their priority. Throws if this
 * is not permitted.
 */
export async function putFirst(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    for (const thread of await readdir(`/proc/${pid}/task`)) {
      const name = await readFile(`/proc/${pid}/task/${thread}/comm`, 'utf8').catch(() => null);
      // A thread that has exited in the meantime has no name.
      if (name === null || name.trim() === WORKER) continue;
      await promisify(execFile)('chrt', ['--rr', '--pid', '1', thread]);
    }
  }
}
