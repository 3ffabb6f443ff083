import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Storage, type StorageKey, storageKey } from '../../ports/storage.ts';
import { relativePathOf } from './file-place.ts';
import { createFileStorage } from './file-storage.ts';

const never = new AbortController().signal;
let root: string;
let storage: Storage;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-walk-'));
  storage = await createFileStorage(root);
});
afterEach(() => rm(root, { recursive: true }));

const guid = (time: string, end: string) => `${time}-0000-7000-8000-${end.padStart(12, '0')}`;

/** Writes an object to the path that versions without fan-out folders used. */
async function writeFlat(key: string): Promise<StorageKey> {
  await mkdir(dirname(join(root, key)), { recursive: true });
  await writeFile(join(root, key), 'old');
  return storageKey(key);
}

async function writeNew(key: string): Promise<StorageKey> {
  await storage.put(storageKey(key), Buffer.from('new'), {}, never);
  return storageKey(key);
}

async function keysOf(prefix = '', after = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list({ prefix, after }, never)) keys.push(key);
  return keys;
}

test.each([
  { key: `7/${guid('019a0b1c', 'a')}/r/0-1.cmaf`, place: `7/.019a0/b1c/${guid('019a0b1c', 'a')}/r/0-1.cmaf` },
  { key: `7/${guid('019a0b1c', 'a')}/`, place: `7/.019a0/b1c/${guid('019a0b1c', 'a')}/` },
  { key: '7/watermark/3', place: '7/watermark/3' },
  { key: '7/', place: '7/' },
  { key: 'x', place: 'x' },
])('stores $key at $place', ({ key, place }) => {
  expect(relativePathOf(key)).toBe(place);
});

test('lists objects at old and new paths together, in key order from any position', async () => {
  const keys = [
    await writeFlat(`1/${guid('019a0b1c', '1')}/r/0.cmaf`),
    await writeNew(`1/${guid('019a0b1c', '2')}/r/0.cmaf`),
    await writeFlat(`1/${guid('019a0b1c', '3')}/r/0.cmaf`),
    // Objects of one video are at both kinds of paths.
    await writeNew(`1/${guid('019a0b1c', '3')}/r/1.cmaf`),
    await writeFlat(`1/${guid('019a0b1c', '3')}/s/0.cmaf`),
    await writeNew(`1/${guid('019a0b1d', '0')}/r/0.cmaf`),
    await writeFlat(`1/${guid('019a0c00', '0')}/r/0.cmaf`),
    await writeNew(`1/${guid('019b0000', '0')}/r/0.cmaf`),
    await writeNew('1/watermark/1'),
    await writeFlat(`2/${guid('019a0b1c', '1')}/r/0.cmaf`),
  ];
  expect(await keysOf()).toEqual(keys);
  for (const [index, key] of keys.entries()) expect(await keysOf('', key)).toEqual(keys.slice(index + 1));
  const video = `1/${guid('019a0b1c', '3')}/`;
  expect(await keysOf(video)).toEqual(keys.slice(2, 5));
  for (const key of keys) {
    expect(await storage.head(key)).toMatchObject({ key, sizeBytes: 3 });
    expect(await storage.readBytes(key, null, never)).toHaveLength(3);
    expect(existsSync(String(storage.localPath(key)))).toBe(true);
  }
  const again = storage.put(storageKey(String(keys[0])), Buffer.from('new'), { ifAbsent: true }, never);
  await expect(again).rejects.toMatchObject({ kind: 'conflict' });
  expect(await storage.deletePrefix(video, never)).toBe(3);
  await storage.delete(keys.slice(0, 2));
  expect(await keysOf('1/')).toEqual(keys.slice(5, 9));
  expect(await storage.deletePrefix('1/', never)).toBe(4);
  expect((await readdir(root)).filter((name) => !name.startsWith('.'))).toEqual(['2']);
});

test('lists a folder with more names than fit into one sorting pass completely and in order', async () => {
  const names = Array.from({ length: 11_000 }, (_, n) => guid((0x019a0000 + n * 7).toString(16).padStart(8, '0'), '1'));
  await mkdir(join(root, '1'));
  for (const name of names) await mkdir(join(root, '1', name));
  const seen = [0, 4_999, 5_000, 9_999, 10_999].map((n) => names[n]);
  const keys: string[] = [];
  for (const name of seen) keys.push(await writeFlat(`1/${name}/source/a`));
  expect(await keysOf()).toEqual(keys);
  expect(await keysOf('', String(keys[1]))).toEqual(keys.slice(2));
});
