import type { BigIntStats, Dirent } from 'node:fs';
import { readdir, rm, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isKeySegment, type ListFrom, type ObjectInfo, type StorageKey, storageKey } from '../../ports/storage.ts';
import { hasCode, isTempName } from './file-write.ts';

/** Every object whose key begins with `prefix` and comes behind `after`, in key order. */
export async function* walkObjects(root: string, from: ListFrom, signal: AbortSignal): AsyncGenerator<ObjectInfo> {
  const folder = from.prefix.slice(0, from.prefix.lastIndexOf('/') + 1);
  yield* walkFolder(root, { folder, ...from }, signal);
}

type Place = ListFrom & { folder: string };

async function* walkFolder(root: string, { folder, ...from }: Place, signal: AbortSignal): AsyncGenerator<ObjectInfo> {
  const entries = await entriesOf(join(root, folder));
  // A folder sorts as its keys do: with the slash that follows its name.
  const names = entries.filter(isVisible).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  for (const name of names.sort(byCodeUnit)) {
    signal.throwIfAborted();
    const path = folder + name;
    const isFolder = name.endsWith('/');
    // A folder that the last key lies in goes on behind it.
    const isBehind = path > from.after || (isFolder && from.after.startsWith(path));
    if (!path.startsWith(from.prefix) || !isBehind) continue;
    if (isFolder) {
      yield* walkFolder(root, { folder: path, ...from }, signal);
      continue;
    }
    const info = await statObject(root, storageKey(path));
    if (info !== null) yield info;
  }
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** What is known of an object; null when there is none. */
export async function statObject(root: string, key: StorageKey): Promise<ObjectInfo | null> {
  const stats = await ifPresent(stat(join(root, key), { bigint: true }));
  return stats?.isFile() ? infoOf(key, stats) : null;
}

/** An object's facts from its file's. A new file has another inode or another time, so another etag. */
export function infoOf(key: StorageKey, stats: BigIntStats): ObjectInfo {
  const etag = [stats.ino, stats.size, stats.mtimeNs].map((part) => part.toString(36)).join('-');
  return { key, sizeBytes: Number(stats.size), modifiedAt: stats.mtime, etag };
}

/** Deletes one object; answers whether it was there. */
export async function removeObject(root: string, key: StorageKey): Promise<boolean> {
  return (await ifPresent(unlink(join(root, key)).then(() => true))) ?? false;
}

/** Deletes all objects in a folder (with the slash at its end) and below, and the folders; answers how many. */
export async function removeFolder(root: string, folder: string, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const entry of (await entriesOf(join(root, folder))).filter(isVisible)) {
    signal.throwIfAborted();
    if (entry.isDirectory()) removed += await removeFolder(root, `${folder}${entry.name}/`, signal);
    else if (await removeObject(root, storageKey(folder + entry.name))) removed += 1;
  }
  await removeIfEmpty(join(root, folder));
  return removed;
}

/** Removes the empty folders from `folder` upwards; the root stays. */
export async function pruneFolders(root: string, folder: string): Promise<void> {
  for (let path = folder; path.length > root.length; path = dirname(path)) {
    if (!(await removeIfEmpty(path))) return;
  }
}

/** A folder in use, one that others mounted here, and one that is not ours to remove: empty ones show nowhere. */
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

/** Removes unfinished files whose last byte is older than this; answers how many. */
export async function sweepFolder(path: string, olderThanMs: number, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (const entry of await entriesOf(path)) {
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

async function entriesOf(folder: string): Promise<Dirent[]> {
  return (await ifPresent(readdir(folder, { withFileTypes: true }))) ?? [];
}

function isVisible(entry: Dirent): boolean {
  // Staged uploads, unfinished writes and what others put there (lost+found) are no objects.
  return isKeySegment(entry.name);
}

/** The answer, or null when the path leads nowhere (a file on the way counts as that). */
export async function ifPresent<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}
