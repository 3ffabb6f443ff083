import { type FileHandle, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Refused } from '../../lib/refused.ts';
import { type Staging, type StorageKey, storageKey } from '../../ports/storage.ts';
import { checkStagingId, isStagingId } from './bytes.ts';
import { READ_CHUNK_BYTES } from './file-objects.ts';
import { pathOf, relativePathOf } from './file-place.ts';
import { ifPresent, statObject } from './file-tree.ts';
import { hasCode, inFolderOf, refuseFull, refusingFull, syncFolders, writeBody } from './file-write.ts';

/** Folder of the staged uploads. No key can refer to it, because no segment of a key begins with a dot. */
export const STAGING_FOLDER = '.staging';

/** Stores each staged upload as a growing file, in a folder on the same file system as the objects. */
export function createFileStaging(root: string): Staging {
  const folder = join(root, STAGING_FOLDER);
  const appending = new Set<string>();
  const pathOf = (id: string) => {
    checkStagingId(id);
    return join(folder, id);
  };
  return {
    async append(id, offset, body, signal) {
      const path = pathOf(id);
      if (appending.has(id)) throw new Refused('conflict', `Another append to the upload ${id} is still running.`);
      appending.add(id);
      try {
        return await appendTo(root, path, offset, (handle) =>
          writeBody(handle, body, { position: offset, hash: null }, signal),
        );
      } finally {
        appending.delete(id);
      }
    },
    async rewind(id, sizeBytes) {
      const handle = await open(pathOf(id), 'r+');
      try {
        const { size } = await handle.stat();
        if (sizeBytes > size) throw new Error(`Expected to rewind to at most ${size} bytes, got ${sizeBytes}.`);
        await handle.truncate(sizeBytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
    async size(id) {
      const handle = await ifPresent(open(pathOf(id), 'r'));
      return handle === null ? 0 : await durableSize(handle);
    },
    async read(id, offset, signal) {
      const handle = await ifPresent(open(pathOf(id), 'r'));
      if (handle === null) return Readable.from([]);
      return handle.createReadStream({ start: offset, highWaterMark: READ_CHUNK_BYTES, signal });
    },
    async commit(id, key, signal) {
      return await commitFile(root, { path: pathOf(id), key: storageKey(key) }, signal);
    },
    async abort(id) {
      await rm(pathOf(id), { force: true });
    },
    async *list(signal) {
      for await (const { name: id } of await opendir(folder)) {
        signal.throwIfAborted();
        const stats = isStagingId(id) ? await ifPresent(stat(join(folder, id))) : null;
        if (stats !== null) yield { id, modifiedAt: stats.mtime };
      }
    },
  };
}

async function appendTo(
  root: string,
  path: string,
  offset: number,
  write: (handle: FileHandle) => Promise<number>,
): Promise<number> {
  const existing = await ifPresent(open(path, 'r+'));
  const handle = existing ?? (await begin(path));
  try {
    const { size } = await handle.stat();
    if (offset !== size) throw new Refused('conflict', `Expected an append at offset ${size}, got one at ${offset}.`);
    return await appendDurably(handle, offset, write);
  } finally {
    await handle.close();
    if (existing === null) await syncFolders(root, path);
  }
}

/**
 * Opens the file of an upload for appending, and creates it if it does not exist. If two processes create it
 * simultaneously, throws `Refused` (`conflict`) in one of them.
 */
async function begin(path: string): Promise<FileHandle> {
  try {
    return await refusingFull(open(path, 'wx+'));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    throw new Refused('conflict', 'Another append to the same upload has just begun.', { cause: error });
  }
}

/** Makes all received bytes durable before it returns or throws. */
async function appendDurably(
  handle: FileHandle,
  offset: number,
  write: (handle: FileHandle) => Promise<number>,
): Promise<number> {
  let written: number;
  try {
    written = await write(handle);
  } catch (error) {
    await handle.datasync();
    throw refuseFull(error);
  }
  await handle.datasync();
  return offset + written;
}

/**
 * Returns the size of the staged file after syncing it: the bytes of a process that was killed during an append may be
 * only in the page cache.
 */
async function durableSize(handle: FileHandle): Promise<number> {
  try {
    await handle.datasync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

async function commitFile(
  root: string,
  { path, key }: { path: string; key: StorageKey },
  signal: AbortSignal,
): Promise<{ sizeBytes: number }> {
  signal.throwIfAborted();
  const handle = await ifPresent(open(path, 'r'));
  if (handle === null) return await committedBefore(root, key);
  let sizeBytes: number;
  try {
    await handle.sync();
    sizeBytes = (await handle.stat()).size;
  } finally {
    await handle.close();
  }
  const target = join(root, relativePathOf(key));
  // False if another commit of the same upload was first.
  const moved = await inFolderOf(target, () => rename(path, target)).then(
    () => true,
    async (error: unknown) => ((await ifPresent(stat(path))) === null ? false : Promise.reject(refuseFull(error))),
  );
  if (!moved) return await committedBefore(root, key);
  await Promise.all([syncFolders(root, target), syncFolders(root, path)]);
  return { sizeBytes };
}

/**
 * Returns the object of an earlier commit. It exists, and the staged file does not, if a process crashed after the
 * rename and before the caller wrote its row.
 */
async function committedBefore(root: string, key: StorageKey): Promise<{ sizeBytes: number }> {
  const info = await statObject(root, key);
  if (info === null) throw new Refused('not-found', `Nothing is staged for ${key}, and no object exists.`);
  await syncFolders(root, pathOf(root, key));
  return { sizeBytes: info.sizeBytes };
}
