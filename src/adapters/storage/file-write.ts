import type { Hash } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { Refused } from '../../lib/refused.ts';
import { chunksOf } from './bytes.ts';

/** Number of bytes after which dirty pages are flushed, so that the fsync at the end is fast. */
const SYNC_EVERY_BYTES = 64 * 1024 * 1024;

/**
 * Maximum number of attempts to create a folder, which can disappear (a delete prunes empty ones) between its creation
 * and its use.
 */
const FOLDER_TRIES = 100;

const TEMP_NAME = /\.tmp\.[0-9a-f]{16}$/;

/** Returns whether a file name belongs to an unfinished write. */
export function isTempName(name: string): boolean {
  return TEMP_NAME.test(name);
}

/** Opens a new temporary file next to `target`, and creates its parent folders. */
export async function openTemp(target: string): Promise<{ handle: FileHandle; path: string }> {
  const path = `${target}.tmp.${randomBytes(8).toString('hex')}`;
  const handle = await inFolderOf(target, () => open(path, 'wx'));
  return { handle, path };
}

/**
 * Runs an action that needs the folder of `target`, and creates that folder again whenever another process prunes it.
 */
export async function inFolderOf<T>(target: string, action: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      await mkdir(dirname(target), { recursive: true });
      return await action();
    } catch (error) {
      // Creating a path of folders also fails with ENOTDIR if one of them is pruned at the same time.
      const isPruned = hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR');
      if (!isPruned || tries === FOLDER_TRIES) throw error;
    }
  }
}

/** Writes a body to a file from `position` on and hashes it. Returns the number of bytes written. */
export async function writeBody(
  handle: FileHandle,
  body: Readable | Uint8Array,
  options: { position: number; hash: Hash | null },
  signal: AbortSignal,
): Promise<number> {
  let written = 0;
  let unsynced = 0;
  for await (const chunk of chunksOf(body, signal)) {
    options.hash?.update(chunk);
    await writeAll(handle, chunk, options.position + written);
    written += chunk.length;
    unsynced += chunk.length;
    if (unsynced >= SYNC_EVERY_BYTES) {
      await handle.datasync();
      unsynced = 0;
    }
  }
  return written;
}

async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < chunk.length) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done);
    if (bytesWritten === 0) throw new Error(`Expected to write ${chunk.length - done} bytes to the file, wrote none.`);
    done += bytesWritten;
  }
}

/** Makes a file name durable: calls fsync for every folder from that of the file up to the root. */
export async function syncFolders(root: string, path: string): Promise<void> {
  const folders = [root];
  for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder)) folders.push(folder);
  await Promise.all(folders.map(syncFolder));
}

async function syncFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(folder, 'r');
  } catch (error) {
    // The folder was pruned in the meantime: the object was deleted after it was complete, and there is no name to
    // keep.
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Waits for a file system action. Throws `Refused` (`disk-full`) if the disk is full. */
export async function refusingFull<T>(action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    throw refuseFull(error);
  }
}

/** Converts "no space left" and "quota exceeded" to `Refused` (`disk-full`). Returns any other error unchanged. */
export function refuseFull(error: unknown): unknown {
  if (!hasCode(error, 'ENOSPC') && !hasCode(error, 'EDQUOT')) return error;
  return new Refused('disk-full', 'The storage is full. Free some space and send the bytes again.', { cause: error });
}

/** Returns whether an error is a system error with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
