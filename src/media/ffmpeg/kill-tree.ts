import { hasCode } from '../../lib/has-code.ts';
import { treeOf } from './read-process-tree.ts';

/**
 * Kills a group and every descendant that left it for a session of its own. A bubblewrap that is killed during its
 * start would leave its other half waiting for ever, so the group is stopped first: nothing starts meanwhile.
 */
export function killTree(pid: number): void {
  signalAt(-pid, 'SIGSTOP');
  for (const member of treeOf(pid).reverse()) signalAt(member, 'SIGKILL');
  signalAt(-pid, 'SIGKILL');
}

/** Sends a signal; a process that is gone is no error. A negative `pid` names a group. */
export function signalAt(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
