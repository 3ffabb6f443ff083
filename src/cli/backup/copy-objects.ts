import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../lib/has-code.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { Refused } from '../../lib/refused.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import { type ObjectInfo, type Storage, storageKey } from '../../ports/storage.ts';
import type { ObjectList } from './object-list.ts';

/** Maximum number of concurrent copies. */
const MAX_CONCURRENT_COPIES = 4;

export type Copied = { objects: number; bytes: number; copied: number };

/** SHA-256 of copied objects in hex, by key. Copying an object adds its hash. */
type Hashes = Map<string, string>;

export type CopySource = {
  storage: Storage;
  /** Hashes of the previous backup in the folder, for objects that are not copied again. */
  known: ObjectList | null;
};

/**
 * Copies every object of a store into a folder. The bytes under a key never change, except in a repaired index, so
 * files of the same size are skipped. Omits objects that are deleted in the meantime. Throws if the store sends more or
 * fewer bytes than it lists.
 */
export async function copyObjectsOut(
  source: CopySource,
  { folder, hashes }: { folder: string; hashes: Hashes },
  signal: AbortSignal,
): Promise<Copied> {
  const sum: Copied = { objects: 0, bytes: 0, copied: 0 };
  await inParallel(source.storage.list('', signal), MAX_CONCURRENT_COPIES, async (object) => {
    const file = path.join(folder, object.key);
    const isThere = (await sizeOf(file)) === object.sizeBytes;
    const before = hashes.get(object.key) ?? source.known?.get(object.key);
    const hash = isThere ? (before ?? (await hashOf(file))) : await copyOut(source, object, file, signal);
    if (hash === null) return;
    hashes.set(object.key, hash);
    sum.objects += 1;
    sum.bytes += object.sizeBytes;
    sum.copied += isThere ? 0 : 1;
  });
  return sum;
}

async function hashOf(file: string): Promise<string> {
  return (await sha256Of(createReadStream(file))).toString('hex');
}

/**
 * Copies an object. Returns the hash of the copy, or null if the object was deleted. Throws if the length of the copy
 * differs.
 */
async function copyOut(
  { storage }: CopySource,
  { key, sizeBytes }: ObjectInfo,
  file: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { body } = await storage.read(key, null, signal);
    await mkdir(path.dirname(file), { recursive: true });
    const hash = createHash('sha256');
    body.on('data', (data: Buffer) => hash.update(data));
    await pipeline(body, createWriteStream(`${file}.new`, { flush: true }));
    const copied = await sizeOf(`${file}.new`);
    if (copied !== sizeBytes) throw new Error(`Expected ${sizeBytes} bytes of ${key} from the store, got ${copied}.`);
    await rename(`${file}.new`, file);
    return hash.digest('hex');
  } catch (error) {
    if (error instanceof Refused && error.kind === 'not-found') return null;
    throw error;
  }
}

/**
 * Finds the files of a folder that the store no longer has. Runs before the rows are read, so that no row refers to
 * them. The files are deleted only once the backup is complete.
 */
export async function findGoneObjects(storage: Storage, folder: string): Promise<string[]> {
  const gone: string[] = [];
  await inParallel(filesIn(folder), MAX_CONCURRENT_COPIES, async (name) => {
    if (name.endsWith('.new') || (await storage.head(storageKey(name))) === null) gone.push(name);
  });
  return gone;
}

/**
 * Copies every object of a folder into a store, except those in `omitted`. Objects that the store already has with the
 * same size are kept.
 */
export async function putObjectsBack(
  storage: Storage,
  { folder, omitted }: { folder: string; omitted: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<Pick<Copied, 'objects' | 'bytes'>> {
  const sum = { objects: 0, bytes: 0 };
  await inParallel(filesIn(folder), MAX_CONCURRENT_COPIES, async (name) => {
    if (name.endsWith('.new') || omitted.has(name)) return;
    const key = storageKey(name);
    const { size } = await stat(path.join(folder, name));
    const isThere = (await storage.head(key))?.sizeBytes === size;
    if (!isThere) await storage.put(key, createReadStream(path.join(folder, name)), { lengthBytes: size }, signal);
    sum.objects += 1;
    sum.bytes += size;
  });
  return sum;
}

/** Yields the paths of all files below a folder, relative to it and with slashes. */
async function* filesIn(folder: string, below = ''): AsyncGenerator<string> {
  for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(folder, name);
    // Links are skipped, because the origin of the folder is unknown and a link could lead anywhere.
    else if (entry.isFile()) yield name;
  }
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
