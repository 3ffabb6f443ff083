import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file.ts';
import { createMovingStorage, type StorePair } from '../../src/adapters/storage/moving.ts';
import { createS3Storage } from '../../src/adapters/storage/s3.ts';
import type { Storage } from '../../src/ports/storage.ts';
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

/** As the stores are found when a move begins: what is written is in the old one. */
function whereObjectsAreOld({ from, to }: StorePair): Storage {
  const moving = createMovingStorage({ from, to });
  return { ...moving, put: from.put, staging: { ...moving.staging, append: from.staging.append } };
}

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
