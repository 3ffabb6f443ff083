import type { Readable } from 'node:stream';
import type { ExportPlace } from '../config/read-export-place.ts';
import { Refused } from '../lib/refused.ts';
import { isStorageAway, type StorageKey, type WrittenObject } from '../ports/storage.ts';
import { urlOfBucket } from './url-of-bucket.ts';

/** Age at which multipart uploads that an interrupted export left are aborted, in ms. */
const ABANDONED_MS = 24 * 3_600_000;

type BucketObject = { name: string; sizeBytes: number; etag: string };

/** A bucket, or the part of one below a prefix. Every operation throws `Refused` (`unavailable`) if it fails. */
type ExportBucket = {
  list(): AsyncIterable<BucketObject>;
  /** Returns size and ETag, or null for an unknown object. */
  head(name: string): Promise<BucketObject | null>;
  /** Opens an object, which must exist. */
  read(name: string): Promise<Readable>;
  /** Writes an object as a whole, in several parts if it is large. Errors of `body` are thrown unchanged. */
  write(name: string, body: Readable | Uint8Array, lengthBytes: number | null): Promise<WrittenObject>;
  remove(name: string): Promise<void>;
  close(): void;
};

/**
 * Opens the bucket of an export. The AWS SDK finds the access keys. Throws `Refused` (`invalid`) for a prefix that
 * cannot be used. Calls `onUnswept` if parts of interrupted exports cannot be removed: an engine or a key that cannot
 * list uploads still stores objects.
 */
export async function openExportBucket(place: ExportPlace, onUnswept: (error: unknown) => void): Promise<ExportBucket> {
  const [{ openBucket }, { listBucket, deleteKeys, sweepUploads }, { headS3Object, openS3Object }, { writeS3Object }] =
    await Promise.all([
      import('../adapters/storage/s3-bucket.ts'),
      import('../adapters/storage/s3-list.ts'),
      import('../adapters/storage/s3-read.ts'),
      import('../adapters/storage/s3-write.ts'),
    ]);
  const bucket = opening(() => openBucket({ url: urlOfBucket(place), credentials: null }));
  // The process ends with an interrupted command, so nothing is aborted.
  const { signal } = new AbortController();
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
    throw new Refused('unavailable', `${cause.message} Check bucket, endpoint and keys, and run it again.`, { cause });
  }
}
