import { createHash } from 'node:crypto';
import { createWriteStream, type Stats } from 'node:fs';
import { readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hasCode } from '../../lib/has-code.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';
import { Postponed } from '../queue/postponement.ts';
import { takeOwnFolder } from './own-folder.ts';

/** An original as a local file. Call `release` once, after the last read. */
export type LocalSource = { path: string; release: () => Promise<void> };

export type SourceCache = {
  open(key: StorageKey, signal: AbortSignal): Promise<LocalSource>;
  /**
   * Like `open`, for a file derived from an original. `name` distinguishes it from other files derived from the same
   * original. It is cached like the copies of originals. Concurrent callers wait for the same file. `make` receives the
   * original.
   */
  openMade(key: StorageKey, made: MadeSource, signal: AbortSignal): Promise<LocalSource>;
  /** Like `openMade`, for a file that is made from stored segments. `name` must be unique. */
  openBuilt(name: string, build: ReadSource, signal: AbortSignal): Promise<LocalSource>;
};

/** A file to derive from an original. `body` fails if it is incomplete. `sizeBytes` is its approximate size. */
export type MadeSource = {
  name: string;
  make(path: string, signal: AbortSignal): Promise<{ sizeBytes: number; body: Readable }>;
};

export type SourceCacheOptions = { parent: string; maxBytes: number; report: (error: Error) => void };

/**
 * Thrown if a copy of an original does not fit on this worker's disk. A worker with more disk space may run the task.
 */
export class WorkerDiskFull extends Postponed {
  override readonly isLocal = true;

  constructor(sizeBytes: number, options?: ErrorOptions) {
    const size = `${(sizeBytes / 1e6).toFixed(0)} MB`;
    super(`waiting for a worker with room for the original file of ${size} on its disk`, options);
  }
}

type Held = { name: string; readers: number; unread: AbortController; ready: Promise<string> };

/**
 * Provides originals as local files: directly if the store is a local folder, or else as a copy in a folder of this
 * process in `parent`. All readers share the copies, which are kept for later tasks. Removes the least recently used
 * ones when the folder exceeds `maxBytes`. Aborts a copy only when its last reader aborts.
 */
export async function createSourceCache(
  storage: Storage,
  { parent, maxBytes, report }: SourceCacheOptions,
): Promise<SourceCache> {
  const folder = await takeOwnFolder(parent, report);
  const held = new Map<string, Held>();
  let downloads = 0;
  let trimmed: Promise<void> = Promise.resolve();

  function hold(name: string, read: ReadSource): Held {
    const before = held.get(name);
    if (before !== undefined) return before;
    const unread = new AbortController();
    const entry = { name, readers: 0, unread, ready: fetchOnce(read, join(folder, name), unread.signal) };
    held.set(name, entry);
    // A failed copy is not shared, so the next caller starts again.
    entry.ready.catch(() => forget(entry));
    return entry;
  }

  function forget(entry: Held): void {
    if (held.get(entry.name) === entry) held.delete(entry.name);
  }

  async function fetchOnce(read: ReadSource, path: string, signal: AbortSignal): Promise<string> {
    // A cleanup that started before this copy was in use may still remove it, so wait for it.
    await trimmed;
    const now = new Date();
    if ((await ifPresent(utimes(path, now, now))) !== null) return path;
    downloads += 1;
    const { sizeBytes, body } = await read(signal);
    await requireRoom(folder, sizeBytes, held).catch(unread(body));
    return await store({ body, sizeBytes, path, part: `${path}.${downloads}.part` }, signal);
  }

  async function release(entry: Held): Promise<void> {
    entry.readers -= 1;
    if (entry.readers > 0) return;
    forget(entry);
    entry.unread.abort();
    await entry.ready.catch(() => undefined);
    const turn = trimmed.then(() => trim(folder, maxBytes, held));
    trimmed = turn.catch(() => undefined);
    await turn;
  }

  async function openHeld(name: string, read: ReadSource, signal: AbortSignal): Promise<LocalSource> {
    const entry = hold(name, read);
    entry.readers += 1;
    try {
      return { path: await unlessAborted(entry.ready, signal), release: () => release(entry) };
    } catch (error) {
      // The next release removes what is left. The error of the failed open is more important.
      await release(entry).catch(() => undefined);
      throw error;
    }
  }

  async function open(key: StorageKey, signal: AbortSignal): Promise<LocalSource> {
    const place = storage.localPath(key);
    if (place !== null) return { path: place, release: async () => {} };
    return openHeld(nameOf(key), readOriginal(storage, key), signal);
  }

  return {
    open,
    openMade(key, { name, make }, signal) {
      const read = makeFrom((unread) => open(key, unread), make, report);
      return openHeld(`${nameOf(key)}-${name}`, read, signal);
    },
    openBuilt: (name, build, signal) => openHeld(`built-${name}`, build, signal),
  };
}

type ReadSource = (signal: AbortSignal) => Promise<{ sizeBytes: number; body: Readable }>;

function readOriginal(storage: Storage, key: StorageKey): ReadSource {
  return async (signal) => {
    const { info, body } = await storage.read(key, null, signal);
    return { sizeBytes: info.sizeBytes, body };
  };
}

/** Derives a file from an original. Keeps the original open until the file is complete or aborted. */
function makeFrom(
  open: (signal: AbortSignal) => Promise<LocalSource>,
  make: MadeSource['make'],
  report: (error: Error) => void,
): ReadSource {
  return async (signal) => {
    const original = await open(signal);
    try {
      const made = await make(original.path, signal);
      made.body.once('close', () => void original.release().catch(report));
      return made;
    } catch (error) {
      await original.release();
      throw error;
    }
  };
}

function nameOf(key: StorageKey): string {
  return createHash('sha256').update(key).digest('hex');
}

type Download = { body: Readable; sizeBytes: number; path: string; part: string };

async function store({ body, sizeBytes, path, part }: Download, signal: AbortSignal): Promise<string> {
  try {
    await pipeline(body, createWriteStream(part), { signal });
    await rename(part, path);
    return path;
  } catch (error) {
    await rm(part, { force: true });
    throw hasCode(error, 'ENOSPC') ? new WorkerDiskFull(sizeBytes, { cause: error }) : error;
  }
}

function unread(body: Readable): (error: unknown) => never {
  return (error) => {
    body.destroy();
    throw error;
  };
}

async function trim(folder: string, maxBytes: number, held: ReadonlyMap<string, unknown>): Promise<void> {
  const files: { name: string; facts: Stats }[] = [];
  for (const name of await readdir(folder)) {
    const facts = name.endsWith('.part') ? null : await ifPresent(stat(join(folder, name)));
    if (facts !== null) files.push({ name, facts });
  }
  let sizeBytes = files.reduce((sum, { facts }) => sum + facts.size, 0);
  for (const { name, facts } of files.sort((a, b) => a.facts.mtimeMs - b.facts.mtimeMs)) {
    if (sizeBytes <= maxBytes) return;
    if (held.has(name)) continue;
    await rm(join(folder, name), { force: true });
    sizeBytes -= facts.size;
  }
}

/** Removes unused copies if there is not enough free space. Throws `WorkerDiskFull` if there is still not enough. */
async function requireRoom(folder: string, sizeBytes: number, held: ReadonlyMap<string, unknown>): Promise<void> {
  if ((await freeBytes(folder)) >= sizeBytes) return;
  await trim(folder, 0, held);
  if ((await freeBytes(folder)) < sizeBytes) throw new WorkerDiskFull(sizeBytes);
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function ifPresent<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
