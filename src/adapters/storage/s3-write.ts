import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { inParallel } from '../../lib/in-parallel.ts';
import { Refused } from '../../lib/refused.ts';
import type { StorageKey, WrittenObject } from '../../ports/storage.ts';
import { abortError, chunksOf } from './bytes.ts';
import { answerOf, failureOf, locate, type S3Bucket } from './s3-bucket.ts';
import { deleteKeys } from './s3-list.ts';
import { headS3Object } from './s3-read.ts';

/** Size of all parts except the last, in bytes. Some engines require equal sizes. It limits the memory of writes. */
export const PART_BYTES = 16 * 1024 * 1024;

const PARTS_AT_ONCE = 3;
const MAX_PARTS = 10_000;
/** Maximum size of a part, in bytes. Four parts are in memory during a write. */
const MAX_PART_BYTES = 8 * PART_BYTES;

/** Maximum number of attempts of a conditional write that conflicts with another write. */
const CONFLICT_TRIES = 3;

/**
 * Returns the size of all parts except the last for an object of the given length: the smallest multiple of
 * `PART_BYTES` with which at most 10,000 parts are needed, or `PART_BYTES` if the length is unknown. Throws `Refused`
 * (`too-large`) if no size is large enough.
 */
export function partBytesFor(lengthBytes: number | null): number {
  const partBytes = PART_BYTES * Math.max(1, Math.ceil((lengthBytes ?? 0) / (PART_BYTES * MAX_PARTS)));
  if (partBytes <= MAX_PART_BYTES) return partBytes;
  throw new Refused(
    'too-large',
    `Expected an object of at most ${MAX_PARTS * MAX_PART_BYTES} bytes, got ${lengthBytes}. Split it.`,
  );
}

export type S3Target = { key: StorageKey; ifAbsent: boolean; contentType: string | null };

/** Writes a body: with one request if it fits into a part, else with a multipart upload, aborted if it fails. */
export async function writeS3Object(
  bucket: S3Bucket,
  { target, body, lengthBytes }: { target: S3Target; body: Readable | Uint8Array; lengthBytes: number | null },
  signal: AbortSignal,
): Promise<WrittenObject> {
  const hash = createHash('sha256');
  const partBytes = partBytesFor(lengthBytes);
  const parts = partsOf(body, { firstBytes: partBytes, partBytes }, signal);
  try {
    const first = await parts.next();
    const firstBytes = first.done === true ? Buffer.alloc(0) : first.value;
    hash.update(firstBytes);
    // Read the next part to find out whether the first is the only one.
    const second = await parts.next();
    signal.throwIfAborted();
    if (second.done === true) {
      await putBytes(bucket, target, firstBytes);
      return { sizeBytes: firstBytes.length, sha256: hash.digest() };
    }
    async function* jobs(): AsyncGenerator<PartJob> {
      yield partJob(bucket, firstBytes);
      for (let next = second; next.done !== true; next = await parts.next()) {
        hash.update(next.value);
        yield partJob(bucket, next.value);
      }
    }
    const sizeBytes = await writeInParts(bucket, { target, jobs: jobs() }, signal);
    return { sizeBytes, sha256: hash.digest() };
  } finally {
    await parts.return();
  }
}

/**
 * Cuts a body into buffers: the first has `firstBytes`, all others have the part size, and the last has the remaining
 * bytes. If the body fails, the received bytes of the last buffer are yielded before its error is thrown.
 */
export async function* partsOf(
  body: Readable | Uint8Array,
  { firstBytes, partBytes }: { firstBytes: number; partBytes: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  let part = Buffer.allocUnsafe(firstBytes);
  let filled = 0;
  const chunks = chunksOf(body, signal);
  try {
    let next = await settled(chunks.next());
    for (; 'value' in next && next.value.done !== true; next = await settled(chunks.next())) {
      for (let rest = next.value.value; rest.length > 0; ) {
        const taken = rest.subarray(0, part.length - filled);
        part.set(taken, filled);
        filled += taken.length;
        rest = rest.subarray(taken.length);
        if (filled < part.length) continue;
        yield part;
        part = Buffer.allocUnsafe(partBytes);
        filled = 0;
      }
    }
    if (filled > 0) yield part.subarray(0, filled);
    if ('error' in next) throw next.error;
  } finally {
    await chunks.return(undefined);
  }
}

async function settled<T>(promise: Promise<T>): Promise<{ value: T } | { error: unknown }> {
  return await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

// Takes no signal: after an abort, it would be unknown whether the bytes were stored. The request has a time limit.
/** Writes at most one part in one request. */
export async function putBytes(bucket: S3Bucket, target: S3Target, bytes: Buffer): Promise<void> {
  const md5 = createHash('md5').update(bytes).digest();
  const command = new PutObjectCommand({
    ...locate(bucket, target.key),
    ...conditionsOf(target),
    Body: bytes,
    ContentLength: bytes.length,
    ContentMD5: md5.toString('base64'),
  });
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await answerOf(`store ${target.key}`, bucket.client.send(command));
      if (!isProof(answer, md5)) break;
      return;
    } catch (error) {
      const { status, attempts } = failureOf(error);
      if (status === 409 && tries < CONFLICT_TRIES) continue;
      if (!target.ifAbsent || (status !== 412 && status !== 409)) throw error;
      // An earlier attempt may have stored the object, if only its response was lost.
      const stored = attempts > 1 ? await headS3Object(bucket, target.key) : null;
      if (stored?.etag === md5.toString('hex')) return;
      throw taken(target.key);
    }
  }
  await deleteKeys(bucket, [target.key]);
  throw new Error(`Expected S3 to store ${target.key} with the MD5 ${md5.toString('hex')}, got another ETag.`);
}

/** Returns whether an ETag matches the bytes. With a separate encryption key, it is not an MD5 and always matches. */
function isProof(
  answer: { ETag?: string | undefined; ServerSideEncryption?: string | undefined },
  md5: Buffer,
): boolean {
  const etag = answer.ETag?.replaceAll('"', '') ?? '';
  const isPlain = answer.ServerSideEncryption === undefined || answer.ServerSideEncryption === 'AES256';
  return !isPlain || !/^[0-9a-f]{32}$/.test(etag) || etag === md5.toString('hex');
}

function conditionsOf({ ifAbsent, contentType }: S3Target): { IfNoneMatch?: string; ContentType?: string } {
  return { ...(ifAbsent ? { IfNoneMatch: '*' } : {}), ...(contentType === null ? {} : { ContentType: contentType }) };
}

type PartTarget = { Bucket: string; Key: string; UploadId: string; PartNumber: number };

/** One part of an upload and its transfer. `put` returns the part's ETag. */
export type PartJob = { sizeBytes: number; put: (place: PartTarget, signal: AbortSignal) => Promise<string> };

/** Returns the job for a part whose bytes are in memory. */
export function partJob(bucket: S3Bucket, bytes: Buffer): PartJob {
  return {
    sizeBytes: bytes.length,
    async put(place, signal) {
      const md5 = createHash('md5').update(bytes).digest();
      const command = new UploadPartCommand({
        ...place,
        Body: bytes,
        ContentLength: bytes.length,
        ContentMD5: md5.toString('base64'),
      });
      const answer = await answerOf(
        `store part ${place.PartNumber}`,
        bucket.client.send(command, { abortSignal: signal }),
      );
      if (answer.ETag === undefined || !isProof(answer, md5)) {
        throw new Error(
          `Expected part ${place.PartNumber} of ${place.Key} to have MD5 ${md5.toString('hex')}, got ${answer.ETag}.`,
        );
      }
      return answer.ETag;
    },
  };
}

type PartsWrite = { target: S3Target; jobs: AsyncIterable<PartJob> };

/** Runs a multipart upload. Returns the size of the object in bytes. If it fails or is aborted, no parts remain. */
export async function writeInParts(
  bucket: S3Bucket,
  { target, jobs }: PartsWrite,
  signal: AbortSignal,
): Promise<number> {
  const place = locate(bucket, target.key);
  // Do not pass the signal: after an abort, the id would be unknown and the upload could not be aborted.
  const create = new CreateMultipartUploadCommand({
    ...place,
    ...conditionsOf({ ...target, ifAbsent: false }),
  });
  const { UploadId } = await answerOf(`begin ${target.key}`, bucket.client.send(create));
  if (UploadId === undefined) throw new Error(`Expected an id for the upload of ${target.key}, got none.`);
  try {
    const parts = await putParts({ ...place, UploadId }, jobs, signal);
    await complete(bucket, { target, uploadId: UploadId, parts });
    return parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  } catch (error) {
    throw await endUpload(bucket, { ...place, UploadId }, signal.aborted ? abortError(signal) : error);
  }
}

type StoredPart = { number: number; etag: string; sizeBytes: number };

async function putParts(
  upload: Omit<PartTarget, 'PartNumber'>,
  jobs: AsyncIterable<PartJob>,
  signal: AbortSignal,
): Promise<StoredPart[]> {
  const parts: StoredPart[] = [];
  let begun = 0;
  await inParallel(jobs, PARTS_AT_ONCE, async ({ sizeBytes, put }) => {
    begun += 1;
    const number = begun;
    if (number > MAX_PARTS) {
      throw new Refused(
        'too-large',
        `Expected at most ${MAX_PARTS} parts of an object without an announced length, got more.`,
      );
    }
    const etag = await put({ ...upload, PartNumber: number }, signal);
    parts.push({ number, etag, sizeBytes });
  });
  signal.throwIfAborted();
  return parts.sort((a, b) => a.number - b.number);
}

type Completion = { target: S3Target; uploadId: string; parts: StoredPart[] };

async function complete(bucket: S3Bucket, { target, uploadId, parts }: Completion): Promise<void> {
  const command = new CompleteMultipartUploadCommand({
    ...locate(bucket, target.key),
    ...(target.ifAbsent ? { IfNoneMatch: '*' } : {}),
    UploadId: uploadId,
    MultipartUpload: { Parts: parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag })) },
  });
  // Some engines ignore the condition when an upload is completed, so check it here.
  if (target.ifAbsent && (await headS3Object(bucket, target.key)) !== null) throw taken(target.key);
  let isOurs = true;
  try {
    await answerOf(`complete ${target.key}`, bucket.client.send(command));
  } catch (error) {
    const { status, name, attempts } = failureOf(error);
    if (target.ifAbsent && (status === 412 || status === 409)) throw taken(target.key);
    // If the first request succeeded and only its response was lost, a repeated request finds no upload.
    if (name !== 'NoSuchUpload' || attempts === 1) throw error;
    isOurs = false;
  }
  await checkStored(bucket, target.key, { parts, isOurs });
}

/** Checks the size of the stored object, and its ETag (MD5 of all parts' MD5s) if another writer may have stored it. */
async function checkStored(
  bucket: S3Bucket,
  key: StorageKey,
  { parts, isOurs }: { parts: StoredPart[]; isOurs: boolean },
) {
  const expected = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const md5s = parts.map(({ etag }) => Buffer.from(etag.replaceAll('"', ''), 'hex'));
  const etag = `${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-${parts.length}`;
  const stored = await headS3Object(bucket, key);
  if (stored?.sizeBytes === expected && (isOurs || stored.etag === etag)) return;
  throw new Error(
    `Expected ${expected} bytes, ETag ${etag}, as ${key}, got ${stored?.sizeBytes}, ETag ${stored?.etag}.`,
  );
}

async function endUpload(bucket: S3Bucket, upload: Omit<PartTarget, 'PartNumber'>, error: unknown): Promise<unknown> {
  try {
    await answerOf(`end the upload of ${upload.Key}`, bucket.client.send(new AbortMultipartUploadCommand(upload)));
    return error;
  } catch (endError) {
    if (failureOf(endError).status === 404) return error;
    return new AggregateError(
      [error, endError],
      `The write of ${upload.Key} failed. Its parts remain until the next sweep.`,
      { cause: error },
    );
  }
}

function taken(key: StorageKey): Refused {
  return new Refused('conflict', `An object is already stored as ${key}.`);
}
