import { Readable } from 'node:stream';
import { type CopyPartResult, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import { inParallel } from '../../lib/in-parallel.ts';
import { Refused } from '../../lib/refused.ts';
import { type Staging, type StorageKey, storageKey } from '../../ports/storage.ts';
import { checkStagingId, isStagingId } from './bytes.ts';
import { answerOf, failureOf, locate, type S3Bucket } from './s3-bucket.ts';
import { deleteKeys, listBucket } from './s3-list.ts';
import { headS3Object, openS3Object } from './s3-read.ts';
import { PART_BYTES, type PartJob, partBytesFor, partJob, partsOf, putBytes, writeInParts } from './s3-write.ts';

/** Prefix of all staged pieces. No key of an object begins with it. */
export const STAGING_PREFIX = '.staging/';

const PIECES_AT_ONCE = 3;

/**
 * A stored range of staged bytes: `.staging/{id}/{offset, 20 digits}`. No piece crosses a multiple of the part size.
 */
type Piece = { key: StorageKey; offset: number; sizeBytes: number; modifiedAt: Date };

/**
 * Stores staged uploads as pieces. Only the pieces from offset 0 up to the first gap count. The next append removes all
 * pieces after a gap, which a crashed writer has left.
 */
export function createS3Staging(bucket: S3Bucket): Staging {
  const appending = new Set<string>();
  return {
    async append(id, offset, body, signal) {
      checkStagingId(id);
      if (appending.has(id)) throw new Refused('conflict', `Another append to the upload ${id} is still running.`);
      appending.add(id);
      try {
        const pieces = await piecesOf(bucket, id);
        const size = sizeOf(pieces);
        if (offset !== size)
          throw new Refused('conflict', `Expected an append at offset ${size}, got one at ${offset}.`);
        await removePieces(bucket, behindGap(pieces, size));
        const sizes = { firstBytes: PART_BYTES - (offset % PART_BYTES), partBytes: PART_BYTES };
        const parts = partsOf(body, sizes, signal);
        return await appendPieces(bucket, { id, offset, isBegun: pieces.length > 0 }, parts);
      } finally {
        appending.delete(id);
      }
    },
    async rewind(id, sizeBytes) {
      checkStagingId(id);
      await rewindPieces(bucket, id, sizeBytes);
    },
    async size(id) {
      checkStagingId(id);
      return sizeOf(await piecesOf(bucket, id));
    },
    async read(id, offset, signal) {
      checkStagingId(id);
      const pieces = await piecesOf(bucket, id);
      return Readable.from(chunksFrom(bucket, { pieces: piecesWithin(pieces, 0, sizeOf(pieces)), offset }, signal));
    },
    async commit(id, key, signal) {
      checkStagingId(id);
      return await commitPieces(bucket, { id, key: storageKey(key) }, signal);
    },
    async abort(id) {
      checkStagingId(id);
      await removePieces(bucket, await piecesOf(bucket, id));
    },
    list: (signal) => listStaged(bucket, signal),
  };
}

function pieceKey(id: string, offset: number): StorageKey {
  // Callers cannot use this key, because its first segment begins with a dot.
  return `${STAGING_PREFIX}${id}/${String(offset).padStart(20, '0')}` as StorageKey;
}

async function piecesOf(bucket: S3Bucket, id: string): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const prefix = `${STAGING_PREFIX}${id}/`;
  for await (const { key, sizeBytes, modifiedAt } of listBucket(
    bucket,
    { prefix, after: '' },
    new AbortController().signal,
  )) {
    pieces.push({ key, offset: Number(key.slice(prefix.length)), sizeBytes, modifiedAt });
  }
  return pieces;
}

function sizeOf(pieces: readonly Piece[]): number {
  let size = 0;
  for (const piece of pieces) {
    if (piece.offset !== size) break;
    size += piece.sizeBytes;
  }
  return size;
}

function behindGap(pieces: readonly Piece[], size: number): Piece[] {
  return pieces.filter((piece) => piece.offset > size);
}

/**
 * Deletes pieces, beginning with the first. Without it, no other piece counts, so an interrupted deletion never results
 * in a shorter upload.
 */
async function removePieces(bucket: S3Bucket, pieces: readonly Piece[]): Promise<void> {
  const [first, ...others] = pieces;
  if (first === undefined) return;
  await deleteKeys(bucket, [first.key]);
  await deleteKeys(
    bucket,
    others.map((piece) => piece.key),
  );
}

/** Deletes the pieces after the new end, then shortens the piece that contains it. */
async function rewindPieces(bucket: S3Bucket, id: string, sizeBytes: number): Promise<void> {
  const pieces = await piecesOf(bucket, id);
  if (sizeBytes > sizeOf(pieces)) {
    throw new Error(`Expected to rewind to at most ${sizeOf(pieces)} bytes, got ${sizeBytes}.`);
  }
  await removePieces(
    bucket,
    pieces.filter((piece) => piece.offset >= sizeBytes),
  );
  const cut = pieces.find((piece) => piece.offset < sizeBytes && piece.offset + piece.sizeBytes > sizeBytes);
  if (cut === undefined) return;
  const bytes = await readRun(bucket, [cut], new AbortController().signal);
  const kept = bytes.subarray(0, sizeBytes - cut.offset);
  await putBytes(bucket, { key: pieceKey(id, cut.offset), ifAbsent: false, contentType: null }, kept);
}

type Append = { id: string; offset: number; isBegun: boolean };

async function appendPieces(
  bucket: S3Bucket,
  { id, offset, isBegun }: Append,
  parts: AsyncIterable<Buffer>,
): Promise<number> {
  let size = offset;
  await inParallel(parts, PIECES_AT_ONCE, async (bytes) => {
    const at = size;
    size += bytes.length;
    // At offset 0, the empty piece of an empty append may have to be replaced.
    const ifAbsent = at > 0 || !isBegun;
    await putBytes(bucket, { key: pieceKey(id, at), ifAbsent, contentType: null }, bytes);
  });
  if (size === 0 && !isBegun) {
    await putBytes(bucket, { key: pieceKey(id, 0), ifAbsent: true, contentType: null }, Buffer.alloc(0));
  }
  return size;
}

type Commit = { id: string; key: StorageKey };

async function commitPieces(
  bucket: S3Bucket,
  { id, key }: Commit,
  signal: AbortSignal,
): Promise<{ sizeBytes: number }> {
  signal.throwIfAborted();
  const pieces = await piecesOf(bucket, id);
  const sizeBytes = sizeOf(pieces);
  if (pieces[0]?.offset !== 0) {
    const before = await headS3Object(bucket, key);
    if (before === null) throw new Refused('not-found', `Nothing is staged for ${key}, and no object exists.`);
    await removePieces(bucket, pieces);
    return { sizeBytes: before.sizeBytes };
  }
  const target = { key, ifAbsent: false, contentType: null };
  if (sizeBytes <= PART_BYTES) {
    await putBytes(bucket, target, await readRun(bucket, piecesWithin(pieces, 0, sizeBytes), signal));
  } else {
    await writeInParts(bucket, { target, jobs: partJobs(bucket, { pieces, sizeBytes }, signal) }, signal);
  }
  await removePieces(bucket, pieces);
  return { sizeBytes };
}

async function* partJobs(
  bucket: S3Bucket,
  { pieces, sizeBytes }: { pieces: readonly Piece[]; sizeBytes: number },
  signal: AbortSignal,
): AsyncGenerator<PartJob> {
  const partBytes = partBytesFor(sizeBytes);
  for (let at = 0; at < sizeBytes; at += partBytes) {
    const run = piecesWithin(pieces, at, Math.min(at + partBytes, sizeBytes));
    const [only, ...others] = run;
    const copied = only !== undefined && others.length === 0 && !bucket.lacks.partCopy;
    yield copied ? copyJob(bucket, only) : partJob(bucket, await readRun(bucket, run, signal));
  }
}

/** Returns the pieces that begin within a part. They are its content, because pieces never cross a part boundary. */
function piecesWithin(pieces: readonly Piece[], start: number, end: number): Piece[] {
  return pieces.filter(({ offset, sizeBytes }) => offset >= start && offset < end && sizeBytes > 0);
}

async function readRun(bucket: S3Bucket, run: readonly Piece[], signal: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(run.reduce((sum, piece) => sum + piece.sizeBytes, 0));
  let filled = 0;
  for (const { key } of run) {
    const { body } = await openS3Object(bucket, { key, range: null }, signal);
    for await (const chunk of body) {
      // The adapter's own bodies yield buffers.
      filled += (chunk as Buffer).copy(bytes, filled);
    }
  }
  if (filled !== bytes.length) throw new Error(`Expected ${bytes.length} staged bytes, got ${filled}.`);
  return bytes;
}

async function* chunksFrom(
  bucket: S3Bucket,
  { pieces, offset }: { pieces: readonly Piece[]; offset: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (const piece of pieces.filter((one) => one.offset + one.sizeBytes > offset)) {
    const range = { start: Math.max(0, offset - piece.offset), end: Infinity };
    yield* (await openS3Object(bucket, { key: piece.key, range }, signal)).body;
  }
}

/**
 * Returns the job for a part that is copied by the S3 engine, or sent from memory if the engine does not support
 * copying.
 */
function copyJob(bucket: S3Bucket, piece: Piece): PartJob {
  return {
    sizeBytes: piece.sizeBytes,
    async put(place, signal) {
      const source = locate(bucket, piece.key);
      const command = new UploadPartCopyCommand({ ...place, CopySource: `${source.Bucket}/${source.Key}` });
      let result: CopyPartResult | undefined;
      try {
        const answer = await answerOf(`copy ${piece.key}`, bucket.client.send(command, { abortSignal: signal }));
        result = answer.CopyPartResult;
      } catch (error) {
        const { status } = failureOf(error);
        if (status !== 400 && status !== 405 && status !== 501) throw error;
        bucket.lacks.partCopy = true;
        return await partJob(bucket, await readRun(bucket, [piece], signal)).put(place, signal);
      }
      if (result?.ETag === undefined) throw new Error(`Expected an ETag of the copied part ${place.PartNumber}.`);
      return result.ETag;
    },
  };
}

async function* listStaged(bucket: S3Bucket, signal: AbortSignal): AsyncGenerator<{ id: string; modifiedAt: Date }> {
  let current: { id: string; modifiedAt: Date } | null = null;
  for await (const { key, modifiedAt } of listBucket(bucket, { prefix: STAGING_PREFIX, after: '' }, signal)) {
    const id = key.slice(STAGING_PREFIX.length, key.lastIndexOf('/'));
    if (!isStagingId(id)) continue;
    if (current !== null && current.id !== id) yield current;
    const isNewer: boolean = current?.id !== id || modifiedAt > current.modifiedAt;
    if (isNewer) current = { id, modifiedAt };
  }
  if (current !== null) yield current;
}
