import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
} from '@aws-sdk/client-s3';
import { inParallel } from '../../lib/in-parallel.ts';
import type { ListFrom, ObjectInfo, StorageKey } from '../../ports/storage.ts';
import { answerOf, failureOf, locate, type S3Bucket } from './s3-bucket.ts';
import { infoFrom } from './s3-read.ts';

const PAGE_KEYS = 1000;
const SINGLE_DELETES_AT_ONCE = 8;

/**
 * Yields everything under a prefix, after a key, in key order, including staged bytes. The keys are without the
 * bucket's own prefix.
 */
export async function* listBucket(
  bucket: S3Bucket,
  { prefix, after }: ListFrom,
  signal: AbortSignal,
): AsyncGenerator<ObjectInfo> {
  let token: string | undefined;
  do {
    signal.throwIfAborted();
    const command = new ListObjectsV2Command({
      Bucket: bucket.name,
      Prefix: bucket.prefix + prefix,
      MaxKeys: PAGE_KEYS,
      ...(after === '' ? {} : { StartAfter: bucket.prefix + after }),
      ...(token === undefined ? {} : { ContinuationToken: token }),
    });
    const page = await answerOf(
      prefix === '' ? 'list the objects' : `list ${prefix}`,
      bucket.client.send(command, { abortSignal: signal }),
    );
    for (const entry of page.Contents ?? []) {
      // Foreign objects in the bucket may have names that are not valid keys. The callers filter them.
      const key = (entry.Key ?? '').slice(bucket.prefix.length) as StorageKey;
      yield infoFrom(key, { sizeBytes: entry.Size, modifiedAt: entry.LastModified, etag: entry.ETag });
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    if (page.IsTruncated === true && token === undefined)
      throw new Error(`Expected a continuation token of the truncated list of ${prefix}, got none.`);
  } while (token !== undefined);
}

/** Deletes keys, a thousand per request if the engine supports it. A missing key is not an error. */
export async function deleteKeys(bucket: S3Bucket, keys: readonly string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += PAGE_KEYS) {
    const left = await deleteInBulk(bucket, keys.slice(at, at + PAGE_KEYS));
    await inParallel(left, SINGLE_DELETES_AT_ONCE, (key) => deleteKey(bucket, key));
  }
}

/** Returns the keys that remain to be deleted one by one. */
async function deleteInBulk(bucket: S3Bucket, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 1 || bucket.lacks.bulkDelete) return keys;
  const objects = keys.map((key) => ({ Key: bucket.prefix + key }));
  const command = new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects: objects, Quiet: true } });
  try {
    const answer = await answerOf(`delete ${keys.length} objects`, bucket.client.send(command));
    return (answer.Errors ?? []).map((failed) => (failed.Key ?? '').slice(bucket.prefix.length));
  } catch (error) {
    const { status } = failureOf(error);
    if (status !== 400 && status !== 405 && status !== 501) throw error;
    bucket.lacks.bulkDelete = true;
    return keys;
  }
}

async function deleteKey(bucket: S3Bucket, key: string): Promise<void> {
  try {
    await answerOf(`delete ${key}`, bucket.client.send(new DeleteObjectCommand(locate(bucket, key))));
  } catch (error) {
    if (failureOf(error).status !== 404) throw error;
  }
}

/** Aborts multipart uploads that have received nothing for `olderThanMs`. Returns their number. */
export async function sweepUploads(bucket: S3Bucket, olderThanMs: number, signal: AbortSignal): Promise<number> {
  let swept = 0;
  for await (const upload of openUploads(bucket, signal)) {
    if (Date.now() - (await lastByteMs(bucket, upload)) < olderThanMs) continue;
    const target = { Bucket: bucket.name, Key: upload.key, UploadId: upload.id };
    await answerOf(`end the upload of ${upload.key}`, bucket.client.send(new AbortMultipartUploadCommand(target)));
    swept += 1;
  }
  return swept;
}

type OpenUpload = { key: string; id: string; initiatedAt: Date };

async function* openUploads(bucket: S3Bucket, signal: AbortSignal): AsyncGenerator<OpenUpload> {
  let marker: { KeyMarker: string; UploadIdMarker: string } | null = null;
  do {
    signal.throwIfAborted();
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      Bucket: bucket.name,
      ...(bucket.prefix === '' ? {} : { Prefix: bucket.prefix }),
      ...marker,
    });
    const page = await answerOf('list open uploads', bucket.client.send(command, { abortSignal: signal }));
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || UploadId === undefined)
        throw new Error(
          `Expected a key and an id of every open upload, got ${Key ?? 'no key'} and ${UploadId ?? 'no id'}.`,
        );
      yield { key: Key, id: UploadId, initiatedAt: Initiated ?? new Date() };
    }
    const { NextKeyMarker, NextUploadIdMarker } = page;
    const goesOn = page.IsTruncated === true && NextKeyMarker !== undefined && NextUploadIdMarker !== undefined;
    marker = goesOn ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker } : null;
  } while (marker !== null);
}

async function lastByteMs(bucket: S3Bucket, upload: OpenUpload): Promise<number> {
  let lastMs = upload.initiatedAt.getTime();
  let marker: string | undefined;
  do {
    const command: ListPartsCommand = new ListPartsCommand({
      Bucket: bucket.name,
      Key: upload.key,
      UploadId: upload.id,
      ...(marker === undefined ? {} : { PartNumberMarker: marker }),
    });
    const page = await answerOf(`list parts of ${upload.key}`, bucket.client.send(command));
    for (const part of page.Parts ?? []) lastMs = Math.max(lastMs, part.LastModified?.getTime() ?? 0);
    marker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return lastMs;
}
