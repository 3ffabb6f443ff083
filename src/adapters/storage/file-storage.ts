import { mkdir, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { MAX_DELETE_KEYS, type Storage, storageKey } from '../../ports/storage.ts';
import { checkPrefix, collect, readListFrom } from './bytes.ts';
import { createFileMark } from './file-mark.ts';
import { openObject, putFile, taken } from './file-objects.ts';
import { pathOf, relativePathOf, relativePathsOf } from './file-place.ts';
import { createFileStaging, STAGING_FOLDER } from './file-staging.ts';
import { pruneFolders, removeFolder, removeObject, statObject, sweepFolder } from './file-tree.ts';
import { walkObjects } from './walk-objects.ts';

/**
 * Opens a local folder as object storage, and creates it if needed. A key is the path below the folder, except that
 * videos are distributed over fan-out folders (`relativePathOf`). A write creates `{name}.tmp.{random}`, calls fsync,
 * renames the file, and calls fsync for the folders. Readers therefore only see complete objects, and an acknowledged
 * write survives power loss. Other processes may use the same folder.
 */
export async function createFileStorage(folder: string): Promise<Storage> {
  const root = resolve(folder);
  await mkdir(join(root, STAGING_FOLDER), { recursive: true });
  const staging = createFileStaging(root);
  return {
    kind: 'file',
    stepBytes: 0,
    async put(key, body, options, signal) {
      const target = join(root, relativePathOf(storageKey(key)));
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
        throw new Error(`Expected at most ${MAX_DELETE_KEYS} keys, got ${keys.length}.`);
      keys.forEach(storageKey);
      for (const key of keys) await removeObject(root, key);
      const folders = new Set(keys.flatMap(relativePathsOf).map((relativePath) => dirname(join(root, relativePath))));
      for (const path of folders) await pruneFolders(root, path);
    },
    async deletePrefix(prefix, signal) {
      checkPrefix(prefix);
      if (!prefix.endsWith('/')) throw new Error(`Expected a prefix that ends with "/", got "${prefix}".`);
      return await removeFolder(root, prefix, signal);
    },
    localPath(key) {
      return pathOf(root, storageKey(key));
    },
    async space() {
      const { bavail, blocks, bsize } = await statfs(root);
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
    },
    async sweepTemp(olderThanMs, signal) {
      return await sweepFolder(root, olderThanMs, signal);
    },
    staging,
    marks: [createFileMark(root, staging)],
  };
}
