import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from '../../src/adapters/storage/s3-bucket.ts';
import { missingPrograms, startRadosgw } from './radosgw.ts';

export type RealS3 = { name: string; start: () => Promise<{ options: S3Options; stop: () => Promise<void> }> };

/**
 * Returns the real engine that the environment requests (see README.md in this folder). Null if it requests none.
 * Throws if the requested engine is unavailable, because a run against a real engine must not pass without one.
 */
export function openRealS3(): RealS3 | null {
  const { MILLRACE_TEST_S3, MILLRACE_TEST_S3_ENDPOINT } = process.env;
  if (MILLRACE_TEST_S3_ENDPOINT !== undefined) return givenEndpoint(MILLRACE_TEST_S3_ENDPOINT);
  if (MILLRACE_TEST_S3 !== '1') return null;
  const missing = missingPrograms();
  if (missing.length > 0) {
    throw new Error(`MILLRACE_TEST_S3=1 needs ${missing.join(', ')}: apt-get install radosgw ceph-mon ceph-osd`);
  }
  return {
    name: 'real engine: Ceph radosgw started by this test',
    async start() {
      const { endpoint, stop, ...credentials } = await startRadosgw();
      await makeBucket(endpoint, credentials);
      return { options: { url: addressOf(endpoint), credentials }, stop };
    },
  };
}

function givenEndpoint(endpoint: string): RealS3 {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, MILLRACE_TEST_S3_BUCKET } = process.env;
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined || MILLRACE_TEST_S3_BUCKET === undefined) {
    throw new Error(
      'MILLRACE_TEST_S3_ENDPOINT needs MILLRACE_TEST_S3_BUCKET, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  }
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  const url = addressOf(endpoint, MILLRACE_TEST_S3_BUCKET);
  return {
    name: `real engine at ${endpoint}`,
    start: async () => ({ options: { url, credentials }, stop: async () => undefined }),
  };
}

function addressOf(endpoint: string, bucket = 'millrace-test'): string {
  const prefix = `run-${randomBytes(6).toString('hex')}`;
  return `s3://${bucket}?endpoint=${encodeURIComponent(endpoint)}&prefix=${prefix}`;
}

async function makeBucket(
  endpoint: string,
  credentials: { accessKeyId: string; secretAccessKey: string },
): Promise<void> {
  const client = new S3Client({
    endpoint,
    credentials,
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  await client.send(new CreateBucketCommand({ Bucket: 'millrace-test' }));
  client.destroy();
}
