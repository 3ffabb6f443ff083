import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';

/** Exit code of flock(1) when another process holds the lock. */
const LOCKED_EXIT = 1;

/**
 * Opens a file, creating it if needed, and locks it. Returns null if another process holds the lock. The kernel
 * releases the lock when the process exits for any reason. `closeSync` releases it earlier. Node has no flock(2). The
 * lock belongs to the open file that flock(1) shares with this process, so it survives the exit of flock(1).
 */
export function tryLock(path: string): number | null {
  const handle = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const taken = spawnSync('flock', ['--exclusive', '--nonblock', '3'], { stdio: ['ignore', 'ignore', 'pipe', handle] });
  if (taken.status === 0) return handle;
  closeSync(handle);
  if (taken.status === LOCKED_EXIT) return null;
  throw new Error(`Could not lock ${path} with flock(1): ${taken.error?.message ?? taken.stderr.toString()}`);
}
