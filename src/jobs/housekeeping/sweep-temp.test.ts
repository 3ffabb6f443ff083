import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startS3Stub } from '../../../test/ports/s3-stub.ts';
import { ownStore } from '../../../test/support/own-store.ts';
import { createFileStorage } from '../../adapters/storage/file-storage.ts';
import { createS3Storage } from '../../adapters/storage/s3-storage.ts';
import { storageKey } from '../../ports/storage.ts';
import { sweepTemp } from './sweep-temp.ts';

const HOUR_MS = 3_600_000;
const PART_BYTES = 16 * 1024 * 1024;
/** Hours per part at 1 KiB/s, the minimum rate of an upload. */
const PART_HOURS = PART_BYTES / 1024 / 3600;
const never = new AbortController().signal;

test.each([
  { late: 0.5, stays: true },
  { late: 1.5, stays: false },
])('an S3 upload that is idle $late h longer than the minimum rate allows is kept: $stays', async ({ late, stays }) => {
  const stub = await startS3Stub();
  try {
    const storage = createS3Storage({ url: stub.url, credentials: { accessKeyId: 'stub', secretAccessKey: 'stub' } });
    const body = new PassThrough();
    const put = storage.put(storageKey('1/video/source'), body, {}, never);
    const end = put.then(
      ({ sizeBytes }) => sizeBytes,
      () => 'failed',
    );
    body.write(Buffer.alloc(2 * PART_BYTES + 1));
    const countParts = () => [...stub.uploads.values()].reduce((sum, { parts }) => sum + parts.size, 0);
    await expect.poll(countParts, { timeout: 20_000 }).toBe(2);
    for (const upload of stub.uploads.values()) {
      upload.initiatedAt = new Date(Date.now() - (PART_HOURS + late) * HOUR_MS);
      for (const part of upload.parts.values()) part.modifiedAt = upload.initiatedAt;
    }
    await sweepTemp.run({}, { storage, store: ownStore }, never);
    body.end();
    expect(await end).toBe(stays ? 2 * PART_BYTES + 1 : 'failed');
  } finally {
    await stub.stop();
  }
});

test.each([
  { hours: 0.5, left: 1 },
  { hours: 1.5, left: 0 },
])('keeps $left temporary files after $hours hours without appends', async ({ hours, left }) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sweep-temp-'));
  try {
    const storage = await createFileStorage(folder);
    const path = join(folder, `source.tmp.${'0'.repeat(16)}`);
    await writeFile(path, 'bytes');
    const at = new Date(Date.now() - hours * HOUR_MS);
    await utimes(path, at, at);
    await sweepTemp.run({}, { storage, store: ownStore }, never);
    expect((await readdir(folder)).filter((name) => name.startsWith('source'))).toHaveLength(left);
  } finally {
    await rm(folder, { recursive: true });
  }
});
