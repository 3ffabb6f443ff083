import type { S3Credentials } from '../adapters/storage/s3-bucket.ts';
import type { ExportPlace } from '../config/read-export-place.ts';
import type { ExportBucket } from '../jobs/exports/export-bucket.ts';
import type { GuardedAgents } from '../lib/outbound/guarded-agents.ts';
import { Refused } from '../lib/refused.ts';
import { isStorageAway, type StorageKey } from '../ports/storage.ts';
import { urlOfBucket } from './url-of-bucket.ts';

/** Age at which multipart uploads that an interrupted export left are aborted, in ms. */
const ABANDONED_MS = 24 * 3_600_000;
/** Name of the error of the AWS SDK if it finds no keys. */
const NO_KEYS = 'CredentialsProviderError';

/**
 * `access`: the keys of the bucket, and agents that only connect to allowed addresses. Without it, the AWS SDK finds
 * the keys. `onUnswept` is called if parts of interrupted exports cannot be removed: an engine or a key that cannot
 * list uploads still stores objects.
 */
type BucketOptions = {
  access?: { credentials: S3Credentials; agents: GuardedAgents };
  onUnswept(error: unknown): void;
};

/** Opens the bucket of an export. Throws `Refused` (`invalid`) for a prefix that cannot be used. */
export async function openExportBucket(
  place: ExportPlace,
  { access, onUnswept }: BucketOptions,
  signal: AbortSignal,
): Promise<ExportBucket> {
  const [{ openBucket }, { listBucket, deleteKeys, sweepUploads }, { headS3Object, openS3Object }, { writeS3Object }] =
    await Promise.all([
      import('../adapters/storage/s3-bucket.ts'),
      import('../adapters/storage/s3-list.ts'),
      import('../adapters/storage/s3-read.ts'),
      import('../adapters/storage/s3-write.ts'),
    ]);
  const keys = { credentials: access?.credentials ?? null, ...(access !== undefined && { agents: access.agents }) };
  const bucket = opening(() => openBucket({ url: urlOfBucket(place), ...keys }));
  // Without a prefix, the uploads may belong to others.
  if (place.keyPrefix !== '') await sweepUploads(bucket, ABANDONED_MS, signal).catch(onUnswept);
  // The caller builds the names from GUIDs, languages and extensions.
  const keyOf = (name: string) => name as StorageKey;
  return {
    async *list() {
      const objects = listBucket(bucket, { prefix: '', after: '' }, signal)[Symbol.asyncIterator]();
      for (let next = await refusing(objects.next()); next.done !== true; next = await refusing(objects.next())) {
        const { key, sizeBytes, etag } = next.value;
        yield { name: key, sizeBytes, etag };
      }
    },
    async head(name) {
      const info = await refusing(headS3Object(bucket, keyOf(name)));
      return info && { name, sizeBytes: info.sizeBytes, etag: info.etag };
    },
    read: async (name) => (await refusing(openS3Object(bucket, { key: keyOf(name), range: null }, signal))).body,
    write(name, body, lengthBytes) {
      const target = { key: keyOf(name), ifAbsent: false, contentType: null };
      return refusing(writeS3Object(bucket, { target, body, lengthBytes }, signal));
    },
    remove: (name) => refusing(deleteKeys(bucket, [keyOf(name)])),
    close: () => bucket.client.destroy(),
  };
}

function opening<T>(open: () => T): T {
  try {
    return open();
  } catch (cause) {
    throw new Refused('invalid', cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function refusing<T>(action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (cause) {
    const isBucket = cause instanceof Error && (isStorageAway(cause) || cause.name === 'S3Failure');
    if (!isBucket) throw cause;
    // The address of the endpoint is not allowed.
    if (cause.cause instanceof Refused) throw cause.cause;
    const { status, name } = await import('../adapters/storage/s3-bucket.ts').then((s3) => s3.failureOf(cause));
    const isWrong = (status !== null && [301, 400, 401, 403, 404].includes(status)) || name === NO_KEYS;
    const advice = 'Check bucket, endpoint, region and keys, and run it again.';
    throw new Refused(isWrong ? 'invalid' : 'unavailable', `${cause.message} ${advice}`, { cause });
  }
}
