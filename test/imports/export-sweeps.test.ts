import { expect, onTestFinished, test, vi } from 'vitest';
import { parseS3Url } from '../../src/adapters/storage/s3-bucket.ts';
import { openExportBucket } from '../../src/compose/open-export-bucket.ts';
import { readExportPlace } from '../../src/config/read-export-place.ts';
import { startS3Stub } from '../ports/s3-stub.ts';

const DAY_MS = 24 * 3_600_000;

test.each([
  { prefix: '', left: ['backups/db', 'films/new', 'films/old'] },
  { prefix: '/films', left: ['backups/db', 'films/new'] },
])('an export to s3://bucket$prefix aborts no uploads of others', async ({ prefix, left }) => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'stub-access-key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'stub-secret-key');
  onTestFinished(() => void vi.unstubAllEnvs());
  const stub = await startS3Stub();
  onTestFinished(() => stub.stop());
  const add = (key: string, ageMs: number) =>
    stub.uploads.set(key, { key, initiatedAt: new Date(Date.now() - ageMs), parts: new Map() });
  add('films/new', 0);
  add('films/old', 2 * DAY_MS);
  add('backups/db', 2 * DAY_MS);
  const { endpoint } = parseS3Url(stub.url);
  const place = readExportPlace(`s3://bucket${prefix}?endpoint=${encodeURIComponent(endpoint ?? '')}`);
  const onUnswept = (error: unknown) => {
    throw error;
  };
  const bucket = await openExportBucket(place, { onUnswept }, AbortSignal.timeout(60_000));
  onTestFinished(() => bucket.close());
  expect(new Set(stub.uploads.keys())).toEqual(new Set(left));
});
