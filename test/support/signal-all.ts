import { hasCode } from '../../src/lib/has-code.ts';

/** Signals processes that were found earlier. Those that have ended are skipped. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error;
    }
  }
}
