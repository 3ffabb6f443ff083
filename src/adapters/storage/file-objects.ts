import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, link, open, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { Refused } from '../../lib/refused.ts';
import type { ByteRange, ObjectInfo, StorageKey, WrittenObject } from '../../ports/storage.ts';
import { checkRange, sliceOf } from './bytes.ts';
import { relativePathsOf } from './file-place.ts';
import { ifPresent, infoOf, pruneFolders } from './file-tree.ts';
import { hasCode, openTemp, refuseFull, syncFolders, writeBody } from './file-write.ts';

/**
 * Bytes per read of a file. Large reads are as fast as sendfile. With reads of 64 KiB, the switch to another thread for
 * each read takes too long.
 */
export const READ_CHUNK_BYTES = 1024 * 1024;

export type FilePut = { key: StorageKey; target: string; ifAbsent: boolean; body: Readable | Uint8Array };

/** Writes one object completely or not at all. */
export async function putFile(root: string, put: FilePut, signal: AbortSignal): Promise<WrittenObject> {
  try {
    const written = await writeAndPublish(put, signal);
    await syncFolders(root, put.target);
    return written;
  } catch (error) {
    // Remove the folders that the failed write created. Ignore errors here, because the error of the write is more
    // important.
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
    // Ignore errors here: the sweep removes leftovers, and the error of the write is more important.
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

/**
 * Gives the finished file its name. With `ifAbsent`, uses a hard link, which fails if the name exists, because a rename
 * would overwrite the file.
 */
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

export function taken(key: StorageKey): Refused {
  return new Refused('conflict', `An object is already stored as ${key}.`);
}

export type Opened = { info: ObjectInfo; lengthBytes: number; body: Readable };

/** Opens an object or a range of it. Throws `Refused` (`not-found`) if it does not exist. */
export async function openObject(
  root: string,
  { key, range }: { key: StorageKey; range: ByteRange | null },
  signal: AbortSignal,
): Promise<Opened> {
  checkRange(range);
  signal.throwIfAborted();
  const handle = await openFile(root, key);
  if (handle === null) throw absent(key);
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) throw absent(key);
    const info = infoOf(key, stats);
    const { start, lengthBytes } = sliceOf(range, info.sizeBytes);
    // A stream with an aborted signal would fail before it has a listener, and crash the process.
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

async function openFile(root: string, key: StorageKey): Promise<FileHandle | null> {
  for (const relativePath of relativePathsOf(key)) {
    const handle = await ifPresent(open(join(root, relativePath), 'r'));
    if (handle !== null) return handle;
  }
  return null;
}

function absent(key: StorageKey): Refused {
  return new Refused('not-found', `No object is stored as ${key}.`);
}
