import type { BigIntStats } from 'node:fs';
import { opendir, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isKeySegment, type ObjectInfo, type StorageKey } from '../../ports/storage.ts';
import { isFan, relativePathsOf } from './file-place.ts';
import { hasCode, isTempName } from './file-write.ts';

/** Returns the metadata of an object, or null if it does not exist. */
export async function statObject(root: string, key: StorageKey): Promise<ObjectInfo | null> {
  for (const relativePath of relativePathsOf(key)) {
    const stats = await ifPresent(stat(join(root, relativePath), { bigint: true }));
    if (stats?.isFile() === true) return infoOf(key, stats);
  }
  return null;
}

/**
 * Derives the metadata of an object from that of its file. A new file has a different inode or time, and therefore a
 * different etag.
 */
export function infoOf(key: StorageKey, stats: BigIntStats): ObjectInfo {
  const etag = [stats.ino, stats.size, stats.mtimeNs].map((part) => part.toString(36)).join('-');
  return { key, sizeBytes: Number(stats.size), modifiedAt: stats.mtime, etag };
}

/** Deletes one object from every path that it may have. */
export async function removeObject(root: string, key: StorageKey): Promise<void> {
  for (const relativePath of relativePathsOf(key)) await ifPresent(unlink(join(root, relativePath)));
}

/**
 * Deletes all objects below a folder of keys (with the final slash), and the folders. Returns the number of objects.
 */
export async function removeFolder(root: string, folder: string, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const relativePath of relativePathsOf(folder)) {
    removed += await removeBelow(join(root, relativePath), signal);
    await pruneFolders(root, dirname(join(root, relativePath)));
  }
  return removed;
}

async function removeBelow(path: string, signal: AbortSignal): Promise<number> {
  const dir = await ifPresent(opendir(path));
  let removed = 0;
  if (dir === null) return removed;
  for await (const entry of dir) {
    signal.throwIfAborted();
    // Unfinished writes and foreign files (lost+found) are not objects.
    if (!isKeySegment(entry.name) && !isFan(entry.name)) continue;
    const child = join(path, entry.name);
    if (entry.isDirectory()) removed += await removeBelow(child, signal);
    else removed += (await ifPresent(unlink(child).then(() => 1))) ?? 0;
  }
  await removeIfEmpty(path);
  return removed;
}

/** Removes empty folders from `folder` upwards, but never the root. */
export async function pruneFolders(root: string, folder: string): Promise<void> {
  for (let path = folder; path.length > root.length; path = dirname(path)) {
    if (!(await removeIfEmpty(path))) return;
  }
}

/**
 * Error codes for a folder that is not empty, a mount point, and a folder that this process may not remove. They are
 * ignored, because empty folders are not visible to callers.
 */
const STAYS = ['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EBUSY', 'EACCES', 'EPERM'];

async function removeIfEmpty(path: string): Promise<boolean> {
  try {
    await rmdir(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    if (STAYS.some((code) => hasCode(error, code))) return false;
    throw error;
  }
}

/** Removes unfinished files whose last byte is older than this. Returns their number. */
export async function sweepFolder(path: string, olderThanMs: number, signal: AbortSignal): Promise<number> {
  const dir = await ifPresent(opendir(path));
  let removed = 0;
  if (dir === null) return removed;
  for await (const entry of dir) {
    signal.throwIfAborted();
    const child = join(path, entry.name);
    if (entry.isDirectory()) removed += await sweepFolder(child, olderThanMs, signal);
    else if (isTempName(entry.name) && (await isOlder(child, olderThanMs))) {
      await rm(child, { force: true });
      removed += 1;
    }
  }
  if (removed > 0) await removeIfEmpty(path);
  return removed;
}

async function isOlder(path: string, olderThanMs: number): Promise<boolean> {
  const stats = await ifPresent(stat(path));
  return stats !== null && Date.now() - stats.mtimeMs >= olderThanMs;
}

/**
 * Returns the result of a promise, or null if it rejects because the path does not exist (or contains a file in place
 * of a folder).
 */
export async function ifPresent<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}
