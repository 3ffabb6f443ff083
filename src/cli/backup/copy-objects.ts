import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../lib/has-code.ts';
import { inParallel } from '../../lib/in-parallel.ts';
import { Refused } from '../../lib/refused.ts';
import { type ObjectInfo, type Storage, storageKey } from '../../ports/storage.ts';

/** Maximum concurrent copies. */
const MAX_CONCURRENT = 4;

export type Copied = { objects: number; bytes: number; copied: number };

/**
 * Copies every object of a store into a folder. The bytes under a key never change, except in a repaired index, so
 * files of the same size are skipped. Omits objects that are deleted in the meantime.
 */
export async function copyObjectsOut(storage: Storage, folder: string, signal: AbortSignal): Promise<Copied> {
  const sum: Copied = { objects: 0, bytes: 0, copied: 0 };
  await inParallel(storage.list('', signal), MAX_CONCURRENT, async (object) => {
    const file = path.join(folder, object.key);
    const isThere = (await sizeOf(file)) === object.sizeBytes;
    if (!isThere && !(await copyOut(storage, object, file, signal))) return;
    sum.objects += 1;
    sum.bytes += object.sizeBytes;
    sum.copied += isThere ? 0 : 1;
  });
  return sum;
}

async function copyOut(storage: Storage, { key }: ObjectInfo, file: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { body } = await storage.read(key, null, signal);
    await mkdir(path.dirname(file), { recursive: true });
    await pipeline(body, createWriteStream(`${file}.new`, { flush: true }));
    await rename(`${file}.new`, file);
    return true;
  } catch (error) {
    if (error instanceof Refused && error.kind === 'not-found') return false;
    throw error;
  }
}

/**
 * Finds the files of a folder that the store no longer has. Runs before the rows are read, so that no row names them.
 * The files are deleted only once the backup is complete.
 */
export async function findGoneObjects(storage: Storage, folder: string): Promise<string[]> {
  const gone: string[] = [];
  await inParallel(filesIn(folder), MAX_CONCURRENT, async (name) => {
    if (name.endsWith('.new') || (await storage.head(storageKey(name))) === null) gone.push(name);
  });
  return gone;
}

/** Copies every object of a folder into a store. Objects of the same size are kept. */
export async function putObjectsBack(storage: Storage, folder: string, signal: AbortSignal): Promise<Copied> {
  const sum: Copied = { objects: 0, bytes: 0, copied: 0 };
  await inParallel(filesIn(folder), MAX_CONCURRENT, async (name) => {
    if (name.endsWith('.new')) return;
    const key = storageKey(name);
    const { size } = await stat(path.join(folder, name));
    const isThere = (await storage.head(key))?.sizeBytes === size;
    if (!isThere) await storage.put(key, createReadStream(path.join(folder, name)), { lengthBytes: size }, signal);
    sum.objects += 1;
    sum.bytes += size;
    sum.copied += isThere ? 0 : 1;
  });
  return sum;
}

/** Yields the names of all files below a folder, with slashes. */
async function* filesIn(folder: string, below = ''): AsyncGenerator<string> {
  for (const entry of await readdir(path.join(folder, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(folder, name);
    // A link in a folder of unknown origin would be followed.
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
