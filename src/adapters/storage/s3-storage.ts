import { createHash } from 'node:crypto';
import {
  isKeySegment,
  type ListFrom,
  MAX_DELETE_KEYS,
  type ObjectInfo,
  type Storage,
  storageKey,
} from '../../ports/storage.ts';
import { areEmpty, checkPrefix, checkRange, collect, readListFrom } from './bytes.ts';
import { openBucket, type S3Bucket, type S3Options } from './s3-bucket.ts';
import { deleteKeys, listBucket, sweepUploads } from './s3-list.ts';
import { createS3Mark } from './s3-mark.ts';
import { headS3Object, openS3Object } from './s3-read.ts';
import { createS3Staging } from './s3-staging.ts';
import { PART_BYTES, putBytes, type S3Target, writeS3Object } from './s3-write.ts';

const ALL: ListFrom = { prefix: '', after: '' };

/**
 * Opens a bucket of any S3-compatible engine as object storage. Does not connect yet. Requests are retried a bounded
 * number of times with jitter. An interrupted body is resumed at the same byte, or fails. `ifAbsent` is atomic for
 * objects of up to 16 MiB. For larger objects, it is atomic only if the engine supports `If-None-Match` on completion.
 */
export function createS3Storage(options: S3Options): Storage {
  const bucket = openBucket(options);
  const staging = createS3Staging(bucket);
  return {
    kind: 's3',
    stepBytes: PART_BYTES,
    async put(key, body, { ifAbsent = false, contentType, lengthBytes = null }, signal) {
      const target = { key: storageKey(key), ifAbsent, contentType: contentType ?? null };
      // The bytes are already in memory, so send them without another buffer.
      if (body instanceof Uint8Array && Math.max(body.length, lengthBytes ?? 0) <= PART_BYTES)
        return await writeS3Bytes(bucket, target, body, signal);
      return await writeS3Object(bucket, { target, body, lengthBytes }, signal);
    },
    async read(key, range, signal) {
      checkRange(range);
      const { info, body } = await openS3Object(bucket, { key: storageKey(key), range }, signal);
      return { info, body };
    },
    async readBytes(key, range, signal) {
      checkRange(range);
      const { lengthBytes, body } = await openS3Object(bucket, { key: storageKey(key), range }, signal);
      return await collect(body, lengthBytes);
    },
    async head(key) {
      return await headS3Object(bucket, storageKey(key));
    },
    list: (from, signal) => listObjects(bucket, readListFrom(from), signal),
    async delete(keys) {
      if (keys.length > MAX_DELETE_KEYS)
        throw new Error(`Expected at most ${MAX_DELETE_KEYS} keys, got ${keys.length}.`);
      await deleteKeys(bucket, keys.map(storageKey));
    },
    async deletePrefix(prefix, signal) {
      checkPrefix(prefix);
      if (!prefix.endsWith('/')) throw new Error(`Expected a prefix that ends with "/", got "${prefix}".`);
      return await deleteUnder(bucket, prefix, signal);
    },
    localPath(key) {
      storageKey(key);
      return null;
    },
    async space() {
      return null;
    },
    async sweepTemp(olderThanMs, signal) {
      return await sweepUploads(bucket, olderThanMs, signal);
    },
    staging,
    marks: [createS3Mark(bucket, (signal) => areEmpty([listObjects(bucket, ALL, signal), staging.list(signal)]))],
  };
}

async function writeS3Bytes(bucket: S3Bucket, target: S3Target, body: Uint8Array, signal: AbortSignal) {
  signal.throwIfAborted();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const sha256 = createHash('sha256').update(bytes).digest();
  await putBytes(bucket, target, bytes);
  return { sizeBytes: bytes.length, sha256 };
}

async function* listObjects(bucket: S3Bucket, from: ListFrom, signal: AbortSignal): AsyncGenerator<ObjectInfo> {
  for await (const info of listBucket(bucket, from, signal)) {
    if (isKey(info.key)) yield info;
  }
}

/** Returns whether a name is a valid key. The names of staged bytes and of foreign objects in the bucket are not. */
function isKey(text: string): boolean {
  return text.split('/').every(isKeySegment);
}

async function deleteUnder(bucket: S3Bucket, prefix: string, signal: AbortSignal): Promise<number> {
  let deleted = 0;
  let batch: string[] = [];
  for await (const { key } of listBucket(bucket, { prefix, after: '' }, signal)) {
    batch.push(key);
    if (batch.length < MAX_DELETE_KEYS) continue;
    await deleteKeys(bucket, batch);
    deleted += batch.length;
    batch = [];
  }
  await deleteKeys(bucket, batch);
  return deleted + batch.length;
}
