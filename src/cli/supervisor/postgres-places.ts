import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, opendir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandAs, type PostgresIdentity } from './postgres-identity.ts';

/** The kernel's bound on a socket's path (108 bytes with its final zero, unix(7)). */
const LONGEST_SOCKET_PATH_BYTES = 107;

/** Socket names carry a port although no port is opened. */
export const SOCKET_PORT = 5432;

/** The folders of our PostgreSQL: `home` holds the others, `socket` may lie elsewhere. */
export type PostgresPlaces = { home: string; cluster: string; socket: string };

/** Where the cluster of a data folder lies when its PostgreSQL can look into that folder. */
export function placesIn(home: string): PostgresPlaces {
  return { home, cluster: join(home, 'postgres'), socket: socketFolder(home) };
}

/**
 * Makes the folders for `identity`. Another user may be kept from the data folder by the folders
 * above it; the cluster then lies in /var/lib under a name made from the data folder's.
 */
export async function preparePlaces(dataDir: string, identity: PostgresIdentity): Promise<PostgresPlaces> {
  const home = identity.kind === 'user' ? await openHomeFor(dataDir, identity) : dataDir;
  const places = placesIn(home);
  await mkdir(places.socket, { recursive: true, mode: 0o700 });
  await giveTo(places.socket, identity);
  await requireOwn(places.socket, identity);
  return places;
}

/** Gives a folder and all in it to whoever PostgreSQL runs as; our own files stay as they are. */
export async function giveTo(folder: string, identity: PostgresIdentity): Promise<void> {
  if (identity.kind !== 'user') return;
  await chown(folder, identity.uid, identity.gid);
  for await (const entry of await opendir(folder, { recursive: true })) {
    await chown(join(entry.parentPath, entry.name), identity.uid, identity.gid);
  }
}

/** Takes away the socket's folder after a stop; the next start makes it again. */
export async function removeSocketFolder(places: PostgresPlaces): Promise<void> {
  await rm(places.socket, { recursive: true, force: true });
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
  return pathBytes <= LONGEST_SOCKET_PATH_BYTES ? folder : join(tmpdir(), `millrace-${shortHash(home)}`);
}

/** A folder under /tmp could have been laid out by another user: whoever owns it owns the database. */
async function requireOwn(folder: string, identity: PostgresIdentity): Promise<void> {
  const found = await lstat(folder);
  const uid = identity.kind === 'user' ? identity.uid : process.getuid?.();
  if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return;
  throw new Error(`Expected ${folder} to be a folder of user ${uid} that is closed to others: remove it.`);
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
