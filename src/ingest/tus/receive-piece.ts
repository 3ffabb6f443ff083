import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { finished, Transform } from 'node:stream';
import type { Reserve } from '../../catalog/quotas/storage-quota-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { watchRate } from '../../lib/watch-rate.ts';
import { watchStart } from '../../media/probe/foreign-bytes.ts';
import type { Staging } from '../../ports/storage.ts';
import type { TusChecksum } from './headers.ts';
import type { RunningHashes } from './running-hashes.ts';
import { ClientGone } from './tus-answer.ts';

/** A chunk of an upload: the request body, which starts at `offset` and has at most `maxBytes`. */
export type Piece = {
  uploadId: Guid;
  request: IncomingMessage;
  offset: number;
  maxBytes: number;
  checksum: TusChecksum | null;
  /** Whether to compute the upload's SHA-256 while it grows. */
  isHashed: boolean;
  /** Reserves storage for an upload of unknown length. Null if its length is reserved. */
  reserve: Reserve | null;
};

export type ReceivePieceDeps = { staging: Staging; hashes: RunningHashes };

/**
 * Stages a chunk. The bytes are durable when the promise resolves. Returns the new size, or null if the bytes do not
 * match the announced checksum, in which case none are kept. Keeps the received part of an interrupted chunk unless a
 * checksum was announced. Throws `Refused` if the start of a file shows that it is not a media file. Disconnects a
 * client that sends less than 1 KiB/s over a minute.
 */
export async function receivePiece(piece: Piece, deps: ReceivePieceDeps, stopped: AbortSignal): Promise<number | null> {
  const { uploadId, request, offset, checksum } = piece;
  const { staging, hashes } = deps;
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > piece.maxBytes) throw tooLong(piece.maxBytes);
  const running = piece.isHashed ? hashes.take(uploadId, offset) : null;
  const sha1 = createHash('sha1');
  // A partial upload may be from anywhere in the file, so its contents are checked when the parts are joined.
  const look = offset === 0 && piece.isHashed ? watchStart() : () => null;
  const body = tap(request, piece, (bytes) => {
    running?.hash.update(bytes);
    if (checksum !== null) sha1.update(bytes);
    return look(bytes);
  });
  const tooSlow = new AbortController();
  const watch = watchRate(request, () => tooSlow.abort(slow()));
  try {
    const size = await staging.append(uploadId, offset, body, AbortSignal.any([stopped, tooSlow.signal]));
    if (checksum !== null && !sha1.digest().equals(checksum.digest)) {
      await takeBack(piece, staging);
      return null;
    }
    if (running !== null) hashes.put(uploadId, { ...running, offset: size });
    return size;
  } catch (error) {
    // A conflict without a takeover means that another process is writing, so the staged bytes must be kept.
    const isOthers = error instanceof Refused && error.kind === 'conflict' && !stopped.aborted;
    if (checksum !== null && !isOthers) await takeBack(piece, staging);
    throw error;
  } finally {
    clearInterval(watch);
    body.destroy();
  }
}

async function takeBack({ uploadId, offset }: Piece, staging: Staging): Promise<void> {
  if ((await staging.size(uploadId)) > offset) await staging.rewind(uploadId, offset);
}

// A failing writer destroys its stream. The request must stay open, because the response still has to be sent.
function tap(
  request: IncomingMessage,
  { maxBytes, offset, reserve }: Piece,
  see: (bytes: Buffer) => Error | null,
): Transform {
  let seen = 0;
  const body = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      seen += bytes.byteLength;
      if (seen > maxBytes) {
        done(tooLong(maxBytes));
        return;
      }
      const pass = () => done(see(bytes), bytes);
      const room = reserve?.(offset + seen) ?? null;
      if (room === null) pass();
      else room.then(pass, done);
    },
  });
  // The stream may fail before it has a reader, and an unhandled error event would end the process.
  body.on('error', () => undefined);
  finished(request, { writable: false }, (cause) => {
    if (cause) body.destroy(new ClientGone({ cause }));
  });
  return request.pipe(body);
}

function tooLong(maxBytes: number): Refused {
  return new Refused('too-large', `Expected at most ${maxBytes} more bytes (Upload-Length), got more. Send fewer.`);
}

function slow(): Refused {
  return new Refused(
    'timeout',
    'Expected at least 1 KiB/s over a minute, got less. Continue at the offset that HEAD returns.',
  );
}
