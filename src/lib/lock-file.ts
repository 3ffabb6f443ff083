import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';

/** flock(1) exits with this when another process holds the lock. */
const LOCKED_EXIT = 1;

/**
 * Opens a file, making it when absent, and locks it; null when another has it. The kernel lets go of it however the
 * process ends, before that `closeSync` does. Node has no flock(2); the lock belongs to the open file that flock(1)
 * shares with us, so it stays when flock(1) exits.
 */
export function tryLock(path: string): number | null {
  const handle = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const taken = spawnSync('flock', ['--exclusive', '--nonblock', '3'], { stdio: ['ignore', 'ignore', 'pipe', handle] });
  if (taken.status === 0) return handle;
  closeSync(handle);
  if (taken.status === LOCKED_EXIT) return null;
  throw new Error(`Could not lock ${path} with flock(1): ${taken.error?.message ?? taken.stderr.toString()}`);
}
