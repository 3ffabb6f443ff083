import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  readFileSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode } from '../../lib/has-code.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';
import { tryLock } from '../../lib/try-lock.ts';

const LOOK_EVERY_MS = 100;
/** Maximum time in ms until a lock holder whose launcher was just killed records that it is stopping. */
const HOLDER_PATIENCE_MS = 1000;
/** Maximum time for a lock holder to stop, in ms. A service stops within 10 s. */
const STOPPING_PATIENCE_MS = 12_000;
const STOPPING = 'stopping';

/** Files and folders in the data folder that the service must be able to use before it can report a fault. */
const OWN_FILES = ['lock', 'secret.key', 'first-keys.json', 'postgres', 'live', 'cache'];

/** Mode bits that allow other users to read or write. */
const OTHERS_MAY = 0o066;

/** Size of a new database with its first write-ahead log, and room to start, in bytes. */
const NEW_DATABASE_BYTES = 200 * 2 ** 20;
/** One segment of the write-ahead log, and room to start an existing database, in bytes. */
const OPEN_DATABASE_BYTES = 20 * 2 ** 20;

/** Requirements for the data folder. With `onVolume`, it must be on a separate file system, as in a container. */
export type DataDirOptions = { onVolume?: boolean };

/**
 * Creates the data folder, which contains the database and the secrets, for this user only. Removes the permissions of
 * other users from an existing folder, and returns the previous mode, or null if nothing changed. Throws `Refused`,
 * before anything is created in the folder, if this user cannot write to it, or if it belongs to a different user and
 * its mode allows others to read or write.
 */
export function makeDataDir(dataDir: string, { onVolume = false }: DataDirOptions = {}): string | null {
  if (onVolume && mountPointOf(dataDir) === '/') {
    throw new Refused(
      'invalid',
      `MILLRACE_DATA_DIR: expected a volume at ${dataDir}, found none. Everything would be lost with the container. ` +
        `Start it with --volume millrace:${dataDir}, or set MILLRACE_DATA_VOLUME=off.`,
    );
  }
  if (!existsSync(dataDir)) {
    orRefuse(dataDir, () => makeFolders(dataDir));
    chmodSync(dataDir, 0o700);
    return null;
  }
  const found = statSync(dataDir);
  if (!found.isDirectory()) throw new Refused('invalid', describeFile(dataDir));
  orRefuse(dataDir, () => accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK), found.uid);
  for (const name of OWN_FILES) requireOwn(dataDir, name);
  const mode = found.mode & 0o777;
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

/** Throws `Refused` if a file of the data folder belongs to another user, as after a start as root. */
function requireOwn(dataDir: string, name: string): void {
  const path = join(dataDir, name);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  // The key may be provided read-only.
  const mode = name === 'secret.key' ? constants.R_OK : constants.R_OK | constants.W_OK;
  try {
    accessSync(path, mode);
  } catch (cause) {
    const user = process.getuid?.() ?? 0;
    const message =
      `MILLRACE_DATA_DIR: expected files that user ${user} can write, got ${path} of user ${found.uid} ` +
      `(${Object(cause).code}). Run as root: chown -R ${user} ${quote(dataDir)}`;
    throw new Refused('invalid', message, { cause });
  }
}

/** Throws `Refused` if the data folder has too little free space to create or start the built-in database. */
export function requireDatabaseSpace(dataDir: string): void {
  const neededBytes = existsSync(join(dataDir, 'postgres')) ? OPEN_DATABASE_BYTES : NEW_DATABASE_BYTES;
  const { bavail, bsize } = statfsSync(dataDir);
  const freeBytes = bavail * bsize;
  if (freeBytes >= neededBytes) return;
  const [wantedMb, freeMb] = [neededBytes, freeBytes].map((bytes) => Math.floor(bytes / 2 ** 20));
  const message = `expected ${wantedMb} MB of free space for the database in ${dataDir}, got ${freeMb} MB`;
  throw new Refused('unavailable', `MILLRACE_DATA_DIR: ${message}.`);
}

/** Creates a folder and its parents. `mkdir` with `recursive` would never return for a folder below /proc. */
function makeFolders(path: string): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolders(parent);
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    // Another role on this machine may have created it in the meantime. If it does not exist, it is a broken link.
    if (!existsSync(path))
      throw new Refused('invalid', `MILLRACE_DATA_DIR: expected a folder, got a broken link: ${path}.`);
  }
}

/** Runs a step on the data folder. If it fails, throws `Refused` with the reason and the way to fix it. */
function orRefuse(dataDir: string, step: () => void, ownerUid: number | null = null): void {
  try {
    step();
  } catch (cause) {
    if (cause instanceof Refused) throw cause;
    if (Object(cause).code === 'ENOTDIR') throw new Refused('invalid', describeFile(dataDir), { cause });
    const isReadOnly = Object(cause).code === 'EROFS';
    const user = process.getuid?.() ?? 0;
    const owner = ownerUid === null ? '' : ` of user ${ownerUid}`;
    // ENOENT indicates a kernel file system such as /proc, in which no user can create folders.
    const isKernels = Object(cause).code === 'ENOENT';
    const remedy = isReadOnly
      ? 'Mount the file system writable.'
      : isKernels
        ? 'Choose another folder.'
        : `Run as root: mkdir -p ${quote(dataDir)} && chown -R ${user} ${quote(dataDir)}`;
    const found = isReadOnly ? 'a read-only file system' : (Object(cause).code ?? String(cause));
    const wanted = `expected a folder that user ${user} can write`;
    const message = `MILLRACE_DATA_DIR: ${wanted}, got ${dataDir}${owner} (${found}). ${remedy}`;
    throw new Refused('invalid', message, { cause });
  }
}

function describeFile(dataDir: string): string {
  return `MILLRACE_DATA_DIR: expected a folder, got ${dataDir}, which is a file or a path below a file.`;
}

/** Returns the mount point of the file system that contains a path or will contain it (proc(5), mountinfo). */
function mountPointOf(path: string): string {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => (line.split(' ')[4] ?? '').replaceAll(/\\([0-7]{3})/g, (_, code) => octalCharacter(code)));
  const above = points.filter((point) => point === path || path.startsWith(point.endsWith('/') ? point : `${point}/`));
  return above.reduce((best, point) => (point.length > best.length ? point : best), '/');
}

function octalCharacter(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 8));
}

/** Lock on the data folder for this process. The kernel releases it when the process ends, in any way. */
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

  /** Marks the holder as stopping, so that a concurrent start waits instead of failing. */
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
    `The data folder ${dataDir} is in use by another millrace (process ${pid}). Stop that process, or set ` +
    'MILLRACE_DATA_DIR.'
  );
}
