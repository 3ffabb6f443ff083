import { createReadStream } from 'node:fs';
import { mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Refused } from '../../src/lib/refused.ts';
import type { ByteRange, ObjectInfo, Storage, StorageKey } from '../../src/ports/storage.ts';

type ReadStorage = Pick<Storage, 'read' | 'readBytes' | 'head' | 'localPath'>;

/**
 * Objects in a plain folder with the operations that an edge uses. `isLocal` false hides the file paths, as with S3.
 */
export type EdgeStorage = ReadStorage & {
  write(key: string, bytes: Uint8Array): Promise<StorageKey>;
  remove(key: StorageKey): Promise<void>;
};

export function createEdgeStorage(folder: string, isLocal = true): EdgeStorage {
  const place = (key: string) => path.join(folder, key);
  async function infoOf(key: StorageKey): Promise<ObjectInfo> {
    const found = await stat(place(key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw new Refused('not-found', `Expected an object ${key}.`);
      throw error;
    });
    return { key, sizeBytes: found.size, modifiedAt: found.mtime, etag: `${found.mtimeMs}-${found.size}` };
  }
  return {
    async write(key, bytes) {
      await mkdir(path.dirname(place(key)), { recursive: true });
      await writeFile(place(key), bytes);
      // Tests build their keys by the grammar of the port.
      return key as StorageKey;
    },
    remove: (key) => rm(place(key)),
    head: (key) => infoOf(key).catch((error) => (error instanceof Refused ? null : Promise.reject(error))),
    async read(key, range) {
      const info = await infoOf(key);
      return { info, body: createReadStream(place(key), { ...range }) };
    },
    async readBytes(key, range) {
      const { sizeBytes } = await infoOf(key);
      const { start, end }: ByteRange = range ?? { start: 0, end: sizeBytes - 1 };
      const file = await open(place(key));
      try {
        const bytes = Buffer.alloc(Math.max(0, Math.min(end + 1, sizeBytes) - start));
        await file.read(bytes, 0, bytes.length, start);
        return bytes;
      } finally {
        await file.close();
      }
    },
    localPath: (key) => (isLocal ? place(key) : null),
  };
}
