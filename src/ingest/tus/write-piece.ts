import type { TusUpload } from '../../catalog/uploads/tus-upload-store.ts';
import { requireSpace } from '../../jobs/uploads/require-space.ts';
import { Refused } from '../../lib/refused.ts';
import { ForeignBody } from '../../media/probe/foreign-bytes.ts';
import { readChecksum } from './headers.ts';
import { receivePiece } from './receive-piece.ts';
import type { TusDeps, TusExchange } from './tus-exchange.ts';

/** Interval at which the expiry of an upload is extended while a chunk arrives, in ms. */
const KEEP_MS = 3_600_000;

/**
 * Outcome of a chunk. `written`: all bytes up to `size` are durable. `mismatch`: the bytes do not match their checksum
 * and were dropped. `over`: the upload already has all its bytes. `elsewhere`: the upload ends at `size`, which is not
 * the offset of the chunk.
 */
export type Written = { kind: 'written' | 'mismatch' | 'over' | 'elsewhere'; size: number };

/** A chunk: its upload and offset. `lateLength` is the `Upload-Length` of a PATCH, which sets a deferred length. */
type Piece = { upload: TusUpload; offset: number; lateLength: number | null };

/**
 * Writes the body of a request at an offset of an upload, and completes the upload with its last byte. The caller must
 * hold the upload's lock. `taken` aborts when a newer request needs the lock.
 */
export async function writePiece(
  exchange: TusExchange,
  { upload: found, offset, lateLength }: Piece,
  taken: AbortSignal,
): Promise<Written> {
  const { deps, request, stopping } = exchange;
  const checksum = readChecksum(request.headers);
  const upload = await withLateLength(exchange, { upload: found, offset, lateLength });
  const { lengthBytes } = upload;
  // The staging area rejects an offset that differs from its size, so most chunks need no query first.
  if (offset === 0 || offset >= (lengthBytes ?? Infinity)) {
    const size = await finalize(exchange, upload);
    if (size === lengthBytes) return { kind: 'over', size };
    if (size !== offset) return { kind: 'elsewhere', size };
  }
  if (lengthBytes === null) await requireSpace(Number(request.headers['content-length'] ?? 0), deps.space);
  const maxBytes = (lengthBytes ?? deps.maxBytes) - offset;
  const reserve = lengthBytes === null ? deps.uploads.reserve(upload) : null;
  // Refuses a chunk that does not fit before its bytes are accepted.
  await reserve?.(offset + Number(request.headers['content-length'] ?? 0));
  const isHashed = upload.kind === 'whole';
  const piece = { uploadId: upload.id, request, offset, maxBytes, checksum, isHashed, reserve };
  const lost = new AbortController();
  const stopped = AbortSignal.any([taken, stopping, lost.signal]);
  const keep = () => void keepMeanwhile(deps, upload, lost);
  keep();
  const kept = setInterval(keep, KEEP_MS);
  try {
    const size = await receivePiece(piece, { ...deps, hashes: exchange.hashes }, stopped);
    if (size === null) return { kind: 'mismatch', size: offset };
    if (size === lengthBytes) await complete(exchange, upload);
    return { kind: 'written', size };
  } catch (error) {
    if (error instanceof ForeignBody) await deps.uploads.drop(upload);
    if (stopped.aborted || !(error instanceof Refused) || error.kind !== 'conflict') throw error;
    const size = await finalize(exchange, upload);
    return { kind: size === lengthBytes ? 'over' : 'elsewhere', size };
  } finally {
    clearInterval(kept);
  }
}

/**
 * Finishes an upload if necessary, and returns its staged size. Joins the parts of a final upload. Completes an upload
 * if the process crashed after the last byte and before the video got the file.
 */
export async function finalize(exchange: TusExchange, upload: TusUpload): Promise<number> {
  const { deps, stopping } = exchange;
  let size = await deps.uploads.size(upload);
  if (upload.kind === 'final' && size !== upload.lengthBytes) {
    const sha256 = await deps.uploads.join(upload, stopping).catch(async (error: unknown) => {
      if (error instanceof ForeignBody) await deps.uploads.drop(upload);
      throw error;
    });
    size = await deps.uploads.size(upload);
    if (size === upload.lengthBytes) await deps.uploads.complete(upload, sha256, stopping);
  } else if (size === upload.lengthBytes) await complete(exchange, upload);
  return size;
}

// A newer request does not abort the completion, because it takes long with a bucket, and a client that retries early
// would restart it repeatedly.
async function complete({ deps, hashes, stopping }: TusExchange, upload: TusUpload): Promise<void> {
  if (upload.kind === 'partial' || upload.lengthBytes === null) return;
  const running = hashes.take(upload.id, upload.lengthBytes);
  await deps.uploads.complete(upload, running?.hash.digest() ?? null, stopping);
}

/**
 * Sets a deferred length that was sent with this chunk. Throws `Refused` (`invalid`) if a different length is already
 * set.
 */
async function withLateLength(
  { deps, request }: TusExchange,
  { upload, offset, lateLength: lengthBytes }: Piece,
): Promise<TusUpload> {
  if (lengthBytes === null || lengthBytes === upload.lengthBytes) return upload;
  if (upload.lengthBytes !== null) {
    throw new Refused(
      'invalid',
      `Expected Upload-Length ${upload.lengthBytes} as set before, got ${lengthBytes}. The length cannot change.`,
    );
  }
  const size = await deps.uploads.size(upload);
  if (size > lengthBytes) {
    throw new Refused('invalid', `Expected an Upload-Length of at least ${size}, got ${lengthBytes}.`);
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (offset + announced > lengthBytes) {
    throw new Refused(
      'too-large',
      `Expected at most ${lengthBytes} bytes by Upload-Length, got ${offset + announced}.`,
    );
  }
  if (lengthBytes === 0 && upload.kind === 'whole') {
    throw new Refused('invalid', 'Expected a file, got an Upload-Length of 0.');
  }
  // A chunk that is rejected because of its offset must not change the upload.
  if (size === offset) await deps.uploads.setLength(upload, lengthBytes);
  return size === offset ? { ...upload, lengthBytes } : upload;
}

/** Extends the expiry while a chunk arrives, because one chunk may be the whole file and take days. */
async function keepMeanwhile({ uploads, onError }: TusDeps, upload: TusUpload, lost: AbortController): Promise<void> {
  try {
    await uploads.keep(upload);
  } catch (error) {
    if (error instanceof Refused) lost.abort(error);
    else onError(error);
  }
}
