import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileStorage } from '../../adapters/storage/file-storage.ts';
import { type Storage, type StorageKey, storageKey } from '../../ports/storage.ts';
import { openSource } from './read-pass-through.ts';
import { createSourceCache, type SourceCache } from './source-cache.ts';

const SIZE_BYTES = 1000;
const never = new AbortController().signal;
const KEY = storageKey('1/video/source');

let folder: string;
let storage: Storage;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-source-cache-'));
  const files = await createFileStorage(join(folder, 'objects'));
  // Simulates a remote store.
  storage = { ...files, localPath: () => null };
});

afterEach(() => rm(folder, { recursive: true }));

const noReport = (error: Error) => expect.fail(error.message);

function openCache(maxBytes: number): Promise<SourceCache> {
  return createSourceCache(storage, { parent: join(folder, 'cache'), maxBytes, report: noReport });
}

async function putOriginals(count: number): Promise<StorageKey[]> {
  const keys = Array.from({ length: count }, (_, index) => storageKey(`1/video-${index}/source`));
  for (const key of keys) await storage.put(key, Buffer.alloc(SIZE_BYTES), {}, never);
  return keys;
}

test('keeps an open copy while the least recently used copies are removed', async () => {
  const cache = await openCache(SIZE_BYTES / 2);
  for (const [index, key] of (await putOriginals(40)).entries()) {
    const first = await cache.open(key, never);
    const released = first.release();
    for (let turn = 0; turn < index % 8; turn += 1) await setImmediate();
    const second = await cache.open(key, never);
    await released;
    expect(existsSync(second.path), `opened ${index % 8} turns after the release`).toBe(true);
    await second.release();
  }
});

test('concurrent releases leave at most the allowed number of bytes', async () => {
  const cache = await openCache(2.5 * SIZE_BYTES);
  const keys = await putOriginals(6);
  for (let round = 0; round < 20; round += 1) {
    const opened = await Promise.all(keys.map((key) => cache.open(key, never)));
    await Promise.all(opened.map((source) => source.release()));
    expect(await readdir(dirname(opened[0]?.path ?? ''))).toHaveLength(2);
  }
});

test('completes a copy for the second reader after the first one aborts', async () => {
  const cache = await openCache(1e6);
  await storage.put(KEY, Buffer.alloc(SIZE_BYTES), {}, never);
  const gaveUp = new AbortController();
  const first = cache.open(KEY, gaveUp.signal);
  const second = cache.open(KEY, never);
  gaveUp.abort(new Error('the lease is lost'));
  await expect(first).rejects.toThrow('the lease is lost');
  expect(existsSync((await second).path)).toBe(true);
});

test('aborts a copy without readers and removes it', async () => {
  const body = new Readable({ read: () => undefined });
  const requested = Promise.withResolvers<void>();
  const read: Storage['read'] = async (key) => {
    requested.resolve();
    return { info: { key, sizeBytes: SIZE_BYTES, modifiedAt: new Date(), etag: 'x' }, body };
  };
  const cache = await createSourceCache(
    { ...storage, read },
    { parent: join(folder, 'cache'), maxBytes: 1e6, report: noReport },
  );
  const gaveUp = new AbortController();
  const opened = cache.open(KEY, gaveUp.signal);
  await requested.promise;
  gaveUp.abort(new Error('the lease is lost'));
  await expect(opened).rejects.toThrow('the lease is lost');
  expect(body.destroyed).toBe(true);
  expect(await readdir(join(folder, 'cache', 'worker-1'))).toEqual([]);
});

test('releases a copy that disappeared and downloads it again for the next reader', async () => {
  const cache = await openCache(1e6);
  await storage.put(KEY, Buffer.alloc(SIZE_BYTES), {}, never);
  const held = await cache.open(KEY, never);
  await rm(held.path);
  await expect(openSource(cache, KEY, never)).rejects.toThrow('ENOENT');
  await held.release();
  const source = await openSource(cache, KEY, never);
  expect(source.sizeBytes).toBe(SIZE_BYTES);
  await source.close();
});
