import { chmodSync, closeSync, existsSync, ftruncateSync, mkdirSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { tryLock } from '../../lib/try-lock.ts';

const LOOK_EVERY_MS = 100;
/** Time for a holder whose launcher was just killed to write that it is stopping, in ms. */
const HOLDER_PATIENCE_MS = 1000;
/** Time for a holder to stop, in ms. A service stops within 10 s. */
const STOPPING_PATIENCE_MS = 12_000;
const STOPPING = 'stopping';

/** Mode bits that let others read or write. */
const OTHERS_MAY = 0o066;

/**
 * Creates the data folder, which contains the database and the secrets, for this user only. Removes the permissions of
 * others from an existing folder, and returns its previous mode; null if nothing changed. Throws `Refused` if the
 * folder has another owner and others may read or write it.
 */
export function makeDataDir(dataDir: string): string | null {
  if (!existsSync(dataDir)) {
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o700);
    return null;
  }
  const mode = statSync(dataDir).mode & 0o777;
  if ((mode & OTHERS_MAY) === 0) return null;
  try {
    // PostgreSQL may run as another user below root's folder, and must be able to enter it.
    chmodSync(dataDir, process.getuid?.() === 0 ? mode & 0o711 : mode & 0o700);
  } catch (cause) {
    const message =
      `MILLRACE_DATA_DIR: expected a folder that only its owner can read, got mode ${mode.toString(8)} of ` +
      `${dataDir}, which could not be changed. As its owner run: chmod 700 ${quote(dataDir)}`;
    throw new Refused('invalid', message, { cause });
  }
  return mode.toString(8);
}

/** Lock on the data folder for this process. The kernel releases it however the process ends. */
export class DataLock {
  readonly #handle: number;

  private constructor(handle: number) {
    this.#handle = handle;
    this.#write('');
  }

  /**
   * Locks the data folder for this process. Waits for a holder that is stopping. Throws `Refused` if another process
   * keeps the lock.
   */
  static async take(dataDir: string): Promise<DataLock> {
    const path = join(dataDir, 'lock');
    const startedMs = performance.now();
    for (;;) {
      const handle = tryLock(path);
      if (handle !== null) return new DataLock(handle);
      const [pid, state] = readFileSync(path, 'utf8').trim().split(' ');
      const patienceMs = state === STOPPING ? STOPPING_PATIENCE_MS : HOLDER_PATIENCE_MS;
      if (performance.now() - startedMs > patienceMs) throw new Refused('conflict', describeHolder(dataDir, pid));
      await sleep(LOOK_EVERY_MS);
    }
  }

  /** Marks the holder as stopping, so that a concurrent start waits instead of giving up. */
  markStopping(): void {
    this.#write(` ${STOPPING}`);
  }

  release(): void {
    closeSync(this.#handle);
  }

  #write(state: string): void {
    ftruncateSync(this.#handle);
    writeSync(this.#handle, `${process.pid}${state}\n`, 0);
  }
}

function describeHolder(dataDir: string, pid: string | undefined): string {
  return (
    `The data folder ${dataDir} is in use by another millrace (process ${pid}). Stop that one or set ` +
    'MILLRACE_DATA_DIR.'
  );
}
