import { hasCode } from '../../lib/has-code.ts';
import { treeOf } from './read-process-tree.ts';

/**
 * Kills a group and every descendant that moved to its own session. The group is stopped (SIGSTOP) first so that no new
 * processes start: if bubblewrap is killed while it starts a child, the child waits forever.
 */
export function killTree(pid: number): void {
  signalAt(-pid, 'SIGSTOP');
  for (const member of treeOf(pid).reverse()) signalAt(member, 'SIGKILL');
  signalAt(-pid, 'SIGKILL');
}

/** Sends a signal. Ignores processes that have exited. A negative `pid` is a group. */
export function signalAt(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
