import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, opendir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandAs, type PostgresIdentity } from './postgres-identity.ts';

/** Maximum length of a socket path in bytes: 108 including the final zero, unix(7). */
const MAX_SOCKET_PATH_BYTES = 107;

/** Port number in the name of the socket. No TCP port is opened. */
export const SOCKET_PORT = 5432;

/** Folders of the built-in PostgreSQL. `home` contains `cluster` and usually `socket`. */
export type PostgresFolders = { home: string; cluster: string; socket: string };

/** Returns the folders for a data folder that the user of PostgreSQL can read. */
export function placesIn(home: string): PostgresFolders {
  return { home, cluster: join(home, 'postgres'), socket: socketFolder(home) };
}

/**
 * Creates the folders for `identity`. If that user cannot access the data folder because of its parent folders, the
 * cluster is in /var/lib, with a name derived from the path of the data folder.
 */
export async function preparePlaces(dataDir: string, identity: PostgresIdentity): Promise<PostgresFolders> {
  const home = identity.kind === 'user' ? await openHomeFor(dataDir, identity) : dataDir;
  const folders = placesIn(home);
  await mkdir(folders.socket, { recursive: true, mode: 0o700 });
  await giveTo(folders.socket, identity);
  await requireOwn(folders.socket, identity);
  return folders;
}

/**
 * Changes the owner of a folder and its contents to the user that runs PostgreSQL. Does nothing if that is the current
 * user.
 */
export async function giveTo(folder: string, identity: PostgresIdentity): Promise<void> {
  if (identity.kind !== 'user') return;
  await chown(folder, identity.uid, identity.gid);
  for await (const entry of await opendir(folder, { recursive: true })) {
    await chown(join(entry.parentPath, entry.name), identity.uid, identity.gid);
  }
}

/** Removes the folder of the socket after a stop. The next start recreates it. */
export async function removeSocketFolder(folders: PostgresFolders): Promise<void> {
  await rm(folders.socket, { recursive: true, force: true });
}

async function openHomeFor(dataDir: string, identity: PostgresIdentity): Promise<string> {
  await chmod(dataDir, 0o711);
  const [program, ...args] = commandAs(identity, ['test', '-x', dataDir]);
  if (spawnSync(program, args, { stdio: 'ignore' }).status === 0) return dataDir;
  const home = join('/var/lib', `millrace-${shortHash(dataDir)}`);
  await mkdir(home, { recursive: true, mode: 0o711 });
  return home;
}

function socketFolder(home: string): string {
  const folder = join(home, 'postgres-socket');
  const pathBytes = Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`));
  return pathBytes <= MAX_SOCKET_PATH_BYTES ? folder : join(tmpdir(), `millrace-${shortHash(home)}`);
}

/**
 * Throws unless a folder belongs to the user of PostgreSQL. Another user could have created a folder in /tmp, and the
 * owner of the folder controls the database.
 */
async function requireOwn(folder: string, identity: PostgresIdentity): Promise<void> {
  const found = await lstat(folder);
  const uid = identity.kind === 'user' ? identity.uid : process.getuid?.();
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
  throw new Error(
    `Expected ${folder} to belong to user ${uid} and be accessible only to that user. Remove the folder.`,
  );
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
