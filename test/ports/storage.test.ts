import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { createFileStorage } from '../../src/adapters/storage/file.ts';
import { createS3Storage } from '../../src/adapters/storage/s3.ts';
import { openRealS3 } from './real-s3.ts';
import { startS3Stub } from './s3-stub.ts';
import { describeStorage } from './storage-suite.ts';

const owned: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of owned.reverse()) await close();
});

describeStorage('a local folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-storage-'));
  owned.push(() => rm(folder, { recursive: true }));
  return await createFileStorage(folder);
});

describeStorage('S3, scripted server of this test (no real engine)', async () => {
  const stub = await startS3Stub();
  // Small pages, so that every list has several.
  stub.state.pageKeys = 3;
  owned.push(stub.stop);
  return createS3Storage({ url: stub.url, credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' } });
});

const real = openRealS3();
if (real !== null) {
  describeStorage(`S3, ${real.name}`, async () => {
    const { options, stop } = await real.start();
    owned.push(stop);
    return createS3Storage(options);
  });
}
