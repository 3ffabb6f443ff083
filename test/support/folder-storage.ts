import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import type { Storage } from '../../src/ports/storage.ts';

/** Objects in a separate folder, with access to its files and a configurable amount of free space. */
export type FolderStorage = Storage & {
  /** Returns the keys of all files, including half-written ones. */
  files(): Promise<string[]>;
  /** Free bytes that `space` reports. The reported size of the medium is 100 GB. */
  freeBytes: number;
  remove(): Promise<void>;
};

export async function createFolderStorage(): Promise<FolderStorage> {
  const root = await mkdtemp(path.join(tmpdir(), 'mr-objects-'));
  const folder: FolderStorage = {
    ...(await createFileStorage(root)),
    freeBytes: 100e9,
    space: async () => ({ freeBytes: folder.freeBytes, totalBytes: 100e9 }),
    async files() {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      return (
        entries
          .filter((entry) => entry.isFile())
          .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
          // The folder groups videos by the time in their ids. This maps paths back to keys.
          .map((file) => file.replace(/(^|\/)\.[0-9a-f]{5}\/[0-9a-f]{3}\//, '$1'))
      );
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
  return folder;
}
