import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Storage, StorageKey } from '../ports/storage.ts';
import { takeOwnFolder } from './own-folder.ts';

/** An original as a local file. Call `release` when it is not read any more. */
export type LocalSource = { path: string; release: () => Promise<void> };

export type SourceCache = { open(key: StorageKey, signal: AbortSignal): Promise<LocalSource> };

type Held = { readers: number; ready: Promise<string> };

/**
 * Gives originals as local files: in place where the store is a local folder, else by a copy in a folder of
 * this process's own in `parent`. Copies are shared by all who read them, kept for the next chunk, and the longest
 * unused go when the folder holds more than `maxBytes`.
 */
export async function createSourceCache(storage: Storage, parent: string, maxBytes: number): Promise<SourceCache> {
  const folder = await takeOwnFolder(parent);
  const held = new Map<string, Held>();

  async function download(key: StorageKey, path: string, signal: AbortSignal): Promise<string> {
    const { body } = await storage.read(key, null, signal);
    await pipeline(body, createWriteStream(`${path}.part`), { signal });
    await rename(`${path}.part`, path);
    return path;
  }

  async function fetchOnce(key: StorageKey, path: string, signal: AbortSignal): Promise<string> {
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (!isThere) return download(key, path, signal);
    const now = new Date();
    await utimes(path, now, now);
    return path;
  }

  return {
    async open(key, signal) {
      const place = storage.localPath(key);
      if (place !== null) return { path: place, release: async () => {} };
      const name = createHash('sha256').update(key).digest('hex');
      const path = join(folder, name);
      const entry = held.get(name) ?? { readers: 0, ready: fetchOnce(key, path, signal) };
      held.set(name, entry);
      entry.readers += 1;
      const release = async () => {
        entry.readers -= 1;
        if (entry.readers > 0) return;
        if (held.get(name) === entry) held.delete(name);
        await trim(folder, maxBytes, new Set(held.keys()));
      };
      try {
        return { path: await entry.ready, release };
      } catch (error) {
        // Whoever comes next starts anew; the failed copy is not handed out.
        if (held.get(name) === entry) held.delete(name);
        await rm(`${path}.part`, { force: true });
        throw error;
      }
    },
  };
}

async function trim(folder: string, maxBytes: number, inUse: ReadonlySet<string>): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder))
      .filter((name) => !name.endsWith('.part'))
      .map(async (name) => ({ name, facts: await stat(join(folder, name)) })),
  );
  let sizeBytes = files.reduce((sum, { facts }) => sum + facts.size, 0);
  for (const { name, facts } of files.sort((a, b) => a.facts.mtimeMs - b.facts.mtimeMs)) {
    if (sizeBytes <= maxBytes) return;
    if (inUse.has(name)) continue;
    await rm(join(folder, name), { force: true });
    sizeBytes -= facts.size;
  }
}
