import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../lib/has-code.ts';
import { Refused } from '../lib/refused.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { SECRET_KEY_BYTES, secretKeyId } from '../lib/secret-box.ts';

/** Keys with which library 1 is created if it does not exist. */
export type FirstKeys = { accountKey: string; libraryKey: string };

/** Library 1. `mustShow` is true if this start must show its keys, because no start has shown them. */
export type FirstLibrary = FirstKeys & {
  mustShow: boolean;
  libraryId: number;
  readOnlyKey: string;
  /**
   * Secret that signs in one browser, once and within an hour. Null if the start that created the library showed it.
   */
  signInSecret: string | null;
};

/** Returns the keys of library 1 that an earlier start chose and did not show, or null if there are none. */
export async function readPendingKeys(dataDir: string): Promise<FirstKeys | null> {
  const pending = await readIfPresent(pendingPath(dataDir));
  return pending === null ? null : JSON.parse(pending.toString());
}

/** Writes the keys of library 1 to a file until they are shown, so that a killed start does not lose them. */
export async function keepPendingKeys(dataDir: string, keys: FirstKeys): Promise<void> {
  await replaceFile(pendingPath(dataDir), JSON.stringify(keys), 0o600);
}

/** Deletes the pending keys, because they were shown or the library already existed. */
export async function forgetFirstKeys(dataDir: string): Promise<void> {
  await rm(pendingPath(dataDir), { force: true });
}

function pendingPath(dataDir: string): string {
  return join(dataDir, 'first-keys.json');
}

/**
 * Returns the key that encrypts secrets in the database: the configured one, or the one in the data folder, which is
 * created once. Throws `Refused` if the file is damaged, or is missing although the data folder has a database.
 */
export async function ensureSecretKey(dataDir: string, given: Uint8Array | null): Promise<Uint8Array> {
  if (given !== null) return given;
  const path = secretKeyPath(dataDir);
  const found = await readIfPresent(path);
  const advice = 'Restore the file from a backup, or set MILLRACE_SECRET_KEY to the key of this database.';
  if (found === null && existsSync(join(dataDir, 'postgres'))) {
    throw new Refused('invalid', `Expected the key of the database in ${path}, found no file. ${advice}`);
  }
  if (found === null) return await writeSecretKey(path);
  if (found.length === SECRET_KEY_BYTES) return found;
  const sizes = `${SECRET_KEY_BYTES} bytes in ${path}, found ${found.length}`;
  throw new Refused('invalid', `Expected a key of ${sizes}. ${advice}`);
}

async function writeSecretKey(path: string): Promise<Uint8Array> {
  const key = randomBytes(SECRET_KEY_BYTES);
  // A key truncated by a crash would make every secret written later unreadable.
  await replaceFile(path, key, 0o600);
  return key;
}

/**
 * Reads the secret key file in a data folder. Returns null if there is none because the key is configured in a setting.
 */
export async function readSecretKey(dataDir: string): Promise<Uint8Array | null> {
  return await readIfPresent(secretKeyPath(dataDir));
}

/** Writes a secret key to a data folder, replacing any other. */
export async function keepSecretKey(dataDir: string, key: Uint8Array): Promise<void> {
  await replaceFile(secretKeyPath(dataDir), key, 0o600);
}

/**
 * Replaces the secret key in a data folder with that of a rotation. The replaced key stays in `secret-previous.key`,
 * which the service never reads, because backups from before the rotation need it. The key of an earlier rotation is
 * kept under a name with its id.
 */
export async function rotateSecretKey(dataDir: string, { oldKey, newKey }: RotatedKeys): Promise<void> {
  const previous = join(dataDir, PREVIOUS_KEY_FILE);
  const earlier = await readIfPresent(previous);
  if (earlier !== null && !earlier.equals(oldKey)) {
    await rename(previous, join(dataDir, `secret-previous-${secretKeyId(earlier)}.key`));
  }
  await replaceFile(previous, oldKey, 0o600);
  await replaceFile(secretKeyPath(dataDir), newKey, 0o600);
}

export const PREVIOUS_KEY_FILE = 'secret-previous.key';

type RotatedKeys = { oldKey: Uint8Array; newKey: Uint8Array };

/** Returns the path of the secret key in a data folder. */
export function secretKeyPath(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

async function readIfPresent(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** URLs of the service for clients, without trailing slashes. */
export type BaseAddresses = { publicUrl: string; edgeUrl: string };

/**
 * Shows the result of the first start once. On a terminal, this includes the keys. Without one, the output may be
 * logged, so it omits the keys and the sign-in link, and names a private file that contains everything.
 */
export async function showFirstStart(
  library: FirstLibrary,
  addresses: BaseAddresses,
  { dataDir, out }: { dataDir: string; out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'> },
): Promise<void> {
  const text = describeFirstStart(library, addresses);
  if (out.isTTY) {
    out.write(text);
    return;
  }
  const path = join(dataDir, 'first-start.txt');
  await replaceFile(path, text, 0o600);
  out.write(`
Millrace is ready. The sign-in link, the keys and an upload command are in ${path}: read the file, then delete it.

  Dashboard          ${addresses.publicUrl}/
  API URL            ${addresses.publicUrl}
  Delivery URL       ${addresses.edgeUrl}
  Library            ${library.libraryId}

`);
}

/** Shows the URLs on a terminal. Without a terminal, the log line is enough. */
export function showStart(addresses: BaseAddresses, out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>): void {
  if (!out.isTTY) return;
  out.write(`
Millrace is ready.

  Dashboard          ${addresses.publicUrl}/
  API URL            ${addresses.publicUrl}
  Delivery URL       ${addresses.edgeUrl}

`);
}

/** Returns the output of the first start, the only place where the keys are shown. */
function describeFirstStart(library: FirstLibrary, addresses: BaseAddresses): string {
  const videos = `${addresses.publicUrl}/library/${library.libraryId}/videos`;
  const auth = `-H 'AccessKey: ${library.libraryKey}'`;
  const guid = `sed 's/.*"guid": *"\\([^"]*\\)".*/\\1/'`;
  return `
Millrace is ready. The keys below are shown only once.

  Dashboard          ${dashboardLink(library, addresses)}
  API URL            ${addresses.publicUrl}
  Delivery URL       ${addresses.edgeUrl}
  Account key        ${library.accountKey}
  Library            ${library.libraryId}
  Library key        ${library.libraryKey}
  Read-only key      ${library.readOnlyKey}

Upload a video (two lines to paste, the file's name in the second):

  VIDEO=$(curl -sf ${auth} -H 'Content-Type: application/json' -d '{"title":"First video"}' ${videos} | ${guid})
  curl -f ${auth} -T video.mp4 ${videos}/$VIDEO && echo && echo ${addresses.edgeUrl}/embed/${library.libraryId}/$VIDEO

Player: ${addresses.edgeUrl}/embed/${library.libraryId}/{videoId}

`;
}

/** The secret follows the `#`, which browsers never send, so no proxy logs it. */
function dashboardLink({ signInSecret }: FirstLibrary, { publicUrl }: BaseAddresses): string {
  return signInSecret === null
    ? `${publicUrl}/  (sign in with the account key)`
    : `${publicUrl}/dashboard/welcome#${signInSecret}  (opens once, within an hour)`;
}

/**
 * Returns the URLs to print and to give to clients: the configured ones, else built from the host and the actual ports.
 */
export function baseAddresses(
  settings: { host: string; publicUrl: string | null; edgeUrl: string | null; tls: object | null },
  listeners: Record<string, number>,
): BaseAddresses {
  // Clients cannot connect to an unspecified address.
  const host = settings.host === '0.0.0.0' || settings.host === '::' ? 'localhost' : settings.host;
  const scheme = settings.tls === null ? 'http' : 'https';
  const at = (port: number | undefined) => `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port ?? ''}`;
  return {
    publicUrl: settings.publicUrl ?? at(listeners.api),
    edgeUrl: settings.edgeUrl ?? at(listeners.edge),
  };
}
