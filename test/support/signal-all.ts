import { hasCode } from '../../src/lib/has-code.ts';

/** Signals processes that were found earlier; those that ended by themselves meanwhile are left out. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  }
}
