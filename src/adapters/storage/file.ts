import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, rm, statfs, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { Refused } from '../../lib/refused.ts';
import {
  type ByteRange,
  MAX_DELETE_KEYS,
  type ObjectInfo,
  type Storage,
  type StorageKey,
  storageKey,
  type WrittenObject,
} from '../../ports/storage.ts';
import { checkPrefix, checkRange, collect, readListFrom, sliceOf } from './bytes.ts';
import { createFileStaging, STAGING_FOLDER } from './file-staging.ts';
import {
  ifPresent,
  infoOf,
  pruneFolders,
  removeFolder,
  removeObject,
  statObject,
  sweepFolder,
  walkObjects,
} from './file-tree.ts';
import { hasCode, openTemp, refuseFull, syncFolders, writeBody } from './file-write.ts';

/** Large reads keep up with sendfile; small ones cost a thread hop for each 64 KiB. */
const READ_CHUNK_BYTES = 1024 * 1024;

/**
 * Opens a local folder as object storage, making it when absent. A key is the path below the folder.
 * Writes go to `{name}.tmp.{random}`, then fsync, rename, fsync of the folders, so a reader sees whole
 * objects only and an answered write survives power loss. Other processes may use the same folder.
 */
export async function createFileStorage(folder: string): Promise<Storage> {
  const root = resolve(folder);
  await mkdir(join(root, STAGING_FOLDER), { recursive: true });
  return {
    kind: 'file',
    stepBytes: 0,
    async put(key, body, options, signal) {
      const target = join(root, storageKey(key));
      if (options.ifAbsent === true && (await statObject(root, key)) !== null) throw taken(key);
      return await putFile(root, { key, target, ifAbsent: options.ifAbsent === true, body }, signal);
    },
    async read(key, range, signal) {
      const { info, body } = await openObject(root, { key: storageKey(key), range }, signal);
      return { info, body };
    },
    async readBytes(key, range, signal) {
      const { lengthBytes, body } = await openObject(root, { key: storageKey(key), range }, signal);
      return await collect(body, lengthBytes);
    },
    async head(key) {
      return await statObject(root, storageKey(key));
    },
    list: (from, signal) => walkObjects(root, readListFrom(from), signal),
    async delete(keys) {
      if (keys.length > MAX_DELETE_KEYS)
        throw new Error(`Expected at most ${MAX_DELETE_KEYS} keys, came ${keys.length}.`);
      keys.forEach(storageKey);
      for (const key of keys) await removeObject(root, key);
      const folders = new Set(keys.map((key) => dirname(join(root, key))));
      for (const path of folders) await pruneFolders(root, path);
    },
    async deletePrefix(prefix, signal) {
      checkPrefix(prefix);
      if (!prefix.endsWith('/')) throw new Error(`Expected a prefix that ends with "/", came "${prefix}".`);
      const removed = await removeFolder(root, prefix, signal);
      await pruneFolders(root, dirname(join(root, prefix)));
      return removed;
    },
    localPath(key) {
      return join(root, storageKey(key));
    },
    async space() {
      const { bavail, blocks, bsize } = await statfs(root);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    async sweepTemp(olderThanMs, signal) {
      return await sweepFolder(root, olderThanMs, signal);
    },
    staging: createFileStaging(root),
  };
}

type FilePut = { key: StorageKey; target: string; ifAbsent: boolean; body: Readable | Uint8Array };

async function putFile(root: string, put: FilePut, signal: AbortSignal): Promise<WrittenObject> {
  try {
    const written = await writeAndPublish(put, signal);
    await syncFolders(root, put.target);
    return written;
  } catch (error) {
    // Folders made for a write that failed would be left behind. What keeps them there says less than what it failed of.
    await pruneFolders(root, dirname(put.target)).catch(() => undefined);
    throw refuseFull(error);
  }
}

async function writeAndPublish(put: FilePut, signal: AbortSignal): Promise<WrittenObject> {
  const hash = createHash('sha256');
  const temp = await openTemp(put.target);
  try {
    const sizeBytes = await writeWhole(temp.handle, { body: put.body, hash }, signal);
    signal.throwIfAborted();
    await publish(put, temp.path);
    return { sizeBytes, sha256: hash.digest() };
  } catch (error) {
    // The sweep removes what stays; the write's own error says more.
    await rm(temp.path, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeWhole(
  handle: FileHandle,
  { body, hash }: { body: Readable | Uint8Array; hash: Hash },
  signal: AbortSignal,
): Promise<number> {
  try {
    const sizeBytes = await writeBody(handle, body, { position: 0, hash }, signal);
    await handle.sync();
    return sizeBytes;
  } finally {
    await handle.close();
  }
}

/** Gives the finished file its name. A hard link fails when the name exists, which a rename would overwrite. */
async function publish({ key, target, ifAbsent }: FilePut, tempPath: string): Promise<void> {
  if (!ifAbsent) {
    await rename(tempPath, target);
    return;
  }
  try {
    await link(tempPath, target);
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? taken(key) : error;
  }
  await unlink(tempPath);
}

function taken(key: StorageKey): Refused {
  return new Refused('conflict', `An object is already stored as ${key}.`);
}

type Opened = { info: ObjectInfo; lengthBytes: number; body: Readable };

async function openObject(
  root: string,
  { key, range }: { key: StorageKey; range: ByteRange | null },
  signal: AbortSignal,
): Promise<Opened> {
  checkRange(range);
  signal.throwIfAborted();
  const handle = await ifPresent(open(join(root, key), 'r'));
  if (handle === null) throw absent(key);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw absent(key);
    const info = infoOf(key, stats);
    const { start, lengthBytes } = sliceOf(range, info.sizeBytes);
    // A stream of an aborted signal would break off before anyone listens, and end the process.
    signal.throwIfAborted();
    if (lengthBytes === 0) {
      await handle.close();
      return { info, lengthBytes, body: Readable.from([]) };
    }
    const end = start + lengthBytes - 1;
    const body = handle.createReadStream({ start, end, highWaterMark: READ_CHUNK_BYTES, signal });
    return { info, lengthBytes, body };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function absent(key: StorageKey): Refused {
  return new Refused('not-found', `No object is stored as ${key}.`);
}
