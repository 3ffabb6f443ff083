import { hasCode } from '../../src/lib/has-code.ts';

/** Signals processes that were found earlier. Processes that have exited are skipped. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  }
}
