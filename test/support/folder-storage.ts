import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { Refused } from '../../src/lib/refused.ts';
import type { ByteRange, ObjectInfo, PutOptions, Storage, StorageKey, WrittenObject } from '../../src/ports/storage.ts';

/** Objects in a folder of its own, for tests of what stands on storage; the adapters have their own suite. */
export type FolderStorage = Storage & {
  /** Every file there is, half-written ones included. */
  files(): Promise<string[]>;
  /** Free bytes that `space` tells; the medium is said to be a hundred times 1 GB. */
  freeBytes: number;
  remove(): Promise<void>;
};

export async function createFolderStorage(): Promise<FolderStorage> {
  const root = await mkdtemp(path.join(tmpdir(), 'mr-objects-'));
  const fileOf = (key: string) => path.join(root, key);
  return {
    kind: 'file',
    freeBytes: 100e9,
    put: (key, body, options, signal) => write(fileOf(key), body, options, signal),
    async read(key, range, signal) {
      const info = await head(fileOf(key), key);
      if (info === null) throw new Refused('not-found', `There is no object ${key}.`);
      return { info, body: createReadStream(fileOf(key), { ...range, signal }) };
    },
    async readBytes(key, range: ByteRange | null) {
      return Buffer.concat(await createReadStream(fileOf(key), range ?? {}).toArray());
    },
    head: (key) => head(fileOf(key), key),
    // biome-ignore lint/correctness/useYield: no test here lists.
    list: async function* () {
      throw new Error('Expected no listing in these tests.');
    },
    delete: async (keys) => void (await Promise.all(keys.map((key) => rm(fileOf(key), { force: true })))),
    async deletePrefix(prefix) {
      const count = (await filesUnder(fileOf(prefix))).length;
      await rm(fileOf(prefix), { recursive: true, force: true });
      return count;
    },
    localPath: (key) => fileOf(key),
    sweepTemp: async () => 0,
    async space() {
      return { freeBytes: this.freeBytes, totalBytes: 100e9 };
    },
    get staging(): never {
      throw new Error('Expected no staged uploads in these tests.');
    },
    files: () => filesUnder(root),
    remove: () => rm(root, { recursive: true, force: true }),
  } as FolderStorage;
}

async function write(
  file: string,
  body: Readable | Uint8Array,
  _options: PutOptions,
  signal: AbortSignal,
): Promise<WrittenObject> {
  await mkdir(path.dirname(file), { recursive: true });
  const hash = createHash('sha256');
  const part = `${file}.part`;
  const handle = await open(part, 'w');
  let sizeBytes = 0;
  const stop = () => void (body instanceof Readable && body.destroy());
  signal.addEventListener('abort', stop);
  try {
    for await (const chunk of body instanceof Readable ? body : [body]) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      await handle.write(chunk);
    }
    signal.throwIfAborted();
    await handle.sync();
    await handle.close();
    await rename(part, file);
  } catch (error) {
    await handle.close();
    await rm(part, { force: true });
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  return { sizeBytes, sha256: hash.digest() };
}

async function head(file: string, key: StorageKey): Promise<ObjectInfo | null> {
  try {
    const { size, mtime } = await stat(file);
    return { key, sizeBytes: size, modifiedAt: mtime, etag: `${size}-${mtime.getTime()}` };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function filesUnder(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
