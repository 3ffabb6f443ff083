import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Puts all threads of processes before those of others wherever they wait for a core (`chrt` of util-linux, as root),
 * so that what is measured is not how two cores are shared with the load's own sender. Throws where that is not
 * allowed.
 */
export async function putFirst(pids: readonly number[]): Promise<void> {
  for (const pid of pids) await promisify(execFile)('chrt', ['--all-tasks', '--rr', '--pid', '1', String(pid)]);
}
