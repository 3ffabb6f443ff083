import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file-storage.ts';
import { createMovingStorage, type StorePair } from '../../src/adapters/storage/moving-storage.ts';
import { createPackedStorage } from '../../src/adapters/storage/packed-storage.ts';
import { createS3Storage } from '../../src/adapters/storage/s3-storage.ts';
import { idxKeyOf } from '../../src/catalog/tasks/encode-task.ts';
import { findPacked, packedKey } from '../../src/ports/packed-key.ts';
import { type Storage, storageKey } from '../../src/ports/storage.ts';
import { openRealS3 } from './real-s3.ts';
import { startS3Stub } from './s3-stub.ts';
import { describeStorage } from './storage-suite.ts';

const owned: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of owned.reverse()) await close();
});

async function openFolder(): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-storage-'));
  owned.push(() => rm(folder, { recursive: true }));
  return await createFileStorage(folder);
}

async function openStub(): Promise<Storage> {
  const stub = await startS3Stub();
  // Small pages, so that every list has several.
  stub.state.pageKeys = 3;
  owned.push(stub.stop);
  return createS3Storage({ url: stub.url, credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' } });
}

describeStorage('a local folder', openFolder);

describeStorage('S3, scripted server of this test (no real engine)', openStub);

describeStorage('two stores as one, objects on the way from a folder to the scripted S3 server', async () => {
  return whereObjectsAreOld({ from: await openFolder(), to: await openStub() });
});

describeStorage('two stores as one, objects that went from the scripted S3 server to a folder', async () => {
  return createMovingStorage({ from: await openStub(), to: await openFolder() });
});

/** Returns a storage at the beginning of a move: everything is written to the old store, and read through both. */
function whereObjectsAreOld({ from, to }: StorePair): Storage {
  const moving = createMovingStorage({ from, to });
  return { ...moving, put: from.put, staging: { ...moving.staging, append: from.staging.append } };
}

describeStorage('a local folder that may hold packs', async () => createPackedStorage(await openFolder()));

test.each([
  { name: 'a local folder', open: openFolder },
  { name: 'S3', open: openStub },
])('ranges of a pack in $name are read and replaced like objects, and deleted only with the pack', async ({ open }) => {
  const never = new AbortController().signal;
  const storage = createPackedStorage(await open());
  const pack = storageKey('1/stream/packs/a.pack');
  await storage.put(pack, Buffer.from('first.ONEsecond.TWO'), {}, never);
  const second = packedKey(pack, { start: 9, sizeBytes: 7, idxBytes: 3 });
  expect(findPacked(second)).toEqual({ pack, start: 9, sizeBytes: 7 });
  const textOf = async (key: typeof pack, range: { start: number; end: number } | null = null) =>
    (await storage.readBytes(key, range, never)).toString();
  expect([await textOf(second), await textOf(idxKeyOf(second))]).toEqual(['second.', 'TWO']);
  // Bytes after the end of the range belong to another object.
  const ranges = [0, 3, 6, 7, 9].map((start) => textOf(second, { start, end: start + 2 }));
  expect(await Promise.all(ranges)).toEqual(['sec', 'ond', '.', '', '']);
  expect(await textOf(second, { start: 2, end: Number.POSITIVE_INFINITY })).toBe('cond.');
  const { info, body } = await storage.read(second, null, never);
  expect([info.key, info.sizeBytes, await new Response(Readable.toWeb(body) as ReadableStream).text()]).toEqual([
    second,
    7,
    'second.',
  ]);
  expect(await storage.head(second)).toEqual(info);
  expect((await storage.head(idxKeyOf(second)))?.etag).not.toBe(info.etag);
  await expect(textOf(second, { start: -2, end: 3 })).rejects.toThrow('byte range');
  await storage.put(idxKeyOf(second), Buffer.from('NEW'), {}, never);
  expect(await textOf(pack)).toBe('first.ONEsecond.NEW');
  await expect(storage.put(second, Buffer.from('shorter'.slice(1)), {}, never)).rejects.toThrow(
    'Expected 7 bytes to replace',
  );
  await expect(storage.delete([second])).rejects.toThrow('whole objects');
  // The pack is truncated.
  await storage.put(pack, Buffer.from('first.ONEsec'), {}, never);
  expect([(await storage.head(second))?.sizeBytes, (await storage.head(idxKeyOf(second)))?.sizeBytes]).toEqual([3, 0]);
  await storage.delete([pack]);
  expect(await storage.head(second)).toBeNull();
  await expect(textOf(second)).rejects.toMatchObject({ kind: 'not-found' });
});

const real = openRealS3();
if (real !== null) {
  describeStorage(`S3, ${real.name}`, async () => {
    const { options, stop } = await real.start();
    owned.push(stop);
    return createS3Storage(options);
  });
  describeStorage(`two stores as one, objects on the way from a folder to S3, ${real.name}`, async () => {
    const { options, stop } = await real.start();
    owned.push(stop);
    return whereObjectsAreOld({ from: await openFolder(), to: createS3Storage(options) });
  });
}
