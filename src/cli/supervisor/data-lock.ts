import { spawnSync } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Refused } from '../../lib/refused.ts';

/** Holds the data folder for this process; the kernel lets go of it however the process ends. */
export type DataLock = { release(): void };

/** flock(1) exits with this when another process holds the lock. */
const LOCKED_EXIT = 1;

/** Takes the data folder for this process alone. Refuses when another process has it. */
export function lockDataDir(dataDir: string): DataLock {
  const path = join(dataDir, 'lock');
  const handle = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  // Node has no flock(2). The lock belongs to the open file that the child shares with us, not to
  // the child, so it stays when flock(1) exits.
  const taken = spawnSync('flock', ['--exclusive', '--nonblock', '3'], { stdio: ['ignore', 'ignore', 'pipe', handle] });
  if (taken.status !== 0) {
    closeSync(handle);
    if (taken.status === LOCKED_EXIT) throw new Refused('conflict', describeHolder(dataDir, path));
    throw new Error(`Could not lock ${path} with flock(1): ${taken.error?.message ?? taken.stderr.toString()}`);
  }
  ftruncateSync(handle);
  writeSync(handle, `${process.pid}\n`, 0);
  return { release: () => closeSync(handle) };
}

function describeHolder(dataDir: string, path: string): string {
  const pid = readFileSync(path, 'utf8').trim();
  return `The data folder ${dataDir} is in use by another millrace (process ${pid}). Stop that one or set MILLRACE_DATA_DIR.`;
}
