import { execFile } from 'node:child_process';
import { mkdir, open, readdir, readlink, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasCode } from '../../lib/has-code.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import { commandAs, type PostgresIdentity } from './postgres-identity.ts';
import { giveTo, type PostgresFolders, SOCKET_PORT } from './postgres-places.ts';

export const DATABASE_USER = 'millrace';

const LEFT_OVER_GRACE_MS = 5000;
const LOOK_EVERY_MS = 50;

/** Creates the cluster unless it exists. The cluster gets its final name only once it is complete. */
export async function ensureCluster(
  folders: PostgresFolders,
  binaries: PostgresBinaries,
  identity: PostgresIdentity,
): Promise<void> {
  if (await exists(folders.cluster)) return;
  const unfinished = `${folders.cluster}.new`;
  await endProcessesIn(unfinished);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await giveTo(unfinished, identity);
  await runInitdb(unfinished, binaries, identity);
  await rename(unfinished, folders.cluster);
  await syncFolder(dirname(folders.cluster));
}

/**
 * Kills processes that an earlier server left running on the cluster when it was killed, and deletes the pid files of
 * the cluster and the socket. Only the holder of the data folder's lock may call it. PostgreSQL's own check of those
 * files fails if the pid now belongs to another process (the usual case in a restarted container), or if the dead
 * process is not reaped yet.
 */
export async function clearLeftOvers({ cluster, socket }: PostgresFolders): Promise<void> {
  await endProcessesIn(cluster);
  await rm(join(cluster, 'postmaster.pid'), { force: true });
  await rm(join(socket, `.s.PGSQL.${SOCKET_PORT}.lock`), { force: true });
}

async function runInitdb(folder: string, { binFolder, environment }: PostgresBinaries, identity: PostgresIdentity) {
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  // Only the owner can access the folder of the socket, so every connection through the socket is trusted.
  const access = [`--username=${DATABASE_USER}`, '--auth-local=trust', '--auth-host=reject'];
  const initdb = [join(binFolder, 'initdb'), `--pgdata=${folder}`, '--no-instructions', ...locale, ...access];
  const [program, ...args] = commandAs(identity, initdb);
  try {
    await promisify(execFile)(program, args, { env: environment, cwd: '/' });
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    throw new Error(`initdb could not create ${folder}: ${reasonOf(cause)}`, { cause });
  }
}

/** Returns the lines of PostgreSQL's own errors, without the command and its progress. */
function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  const lines = [...text.matchAll(/(?:FATAL|PANIC|initdb: error|DETAIL): +(.*)/g)].map(([, line]) => line);
  return lines.length === 0 ? text.replaceAll('\n', ' ') : lines.join(' ');
}

/** Kills the PostgreSQL processes of a cluster. Their working directory is the folder of the cluster. */
async function endProcessesIn(folder: string): Promise<void> {
  const deadlineMs = performance.now() + LEFT_OVER_GRACE_MS;
  for (let round = 0; ; round += 1) {
    const pids = await processesIn(folder);
    if (pids.length === 0) return;
    const isLate = performance.now() > deadlineMs;
    if (round === 0 || isLate) for (const pid of pids) signal(pid, isLate ? 'SIGKILL' : 'SIGINT');
    await sleep(LOOK_EVERY_MS);
  }
}

async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const matches = await Promise.all(pids.map(async (pid) => (await workingFolder(pid)) === folder));
  return pids.filter((_pid, index) => matches[index]);
}

async function workingFolder(pid: number): Promise<string | null> {
  try {
    return await readlink(`/proc/${pid}/cwd`);
  } catch (error) {
    // The process has exited, or belongs to another user and is therefore not ours.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].some((code) => hasCode(error, code))) return null;
    throw error;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await readdir(dirname(path))).includes(path.slice(dirname(path).length + 1));
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
