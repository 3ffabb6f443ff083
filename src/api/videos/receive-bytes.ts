import type { IncomingMessage } from 'node:http';
import { finished, Transform } from 'node:stream';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import type { Reserve } from '../../catalog/quotas/storage-quota-store.ts';
import type { UploadStore } from '../../catalog/uploads/upload-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { watchRate } from '../../lib/watch-rate.ts';
import { watchStart } from '../../media/probe/foreign-bytes.ts';
import type { Storage, StorageKey, WrittenObject } from '../../ports/storage.ts';

const RENEW_MS = 20_000;
/** Delay before a failed renewal is retried while the database is down, in ms. */
const RENEW_AGAIN_MS = 1_000;
const BUFFER_BYTES = 1024 * 1024;

type Upload = {
  body: IncomingMessage;
  objectKey: StorageKey;
  lengthBytes: number | null;
  uploadId: Guid;
  /** Maximum size of the body in bytes. */
  limitBytes: number;
  /** Reserves storage for a body of unknown length, or null if its length is reserved. */
  reserve: Reserve | null;
};
type Deps = { storage: Storage; uploads: UploadStore };

/**
 * Streams a request's body into an object and renews the lease of its upload session. Throws `Refused`: `timeout` if
 * the caller sends less than 1 KiB/s over a minute, `invalid` if the body ends early or is not a media file,
 * `too-large` if the body exceeds the limit, `quota-reached` if it exceeds the quota of its library. After a refusal no
 * bytes remain in the store.
 */
export async function receiveBytes(
  upload: Upload,
  { storage, uploads }: Deps,
  signal: AbortSignal,
): Promise<WrittenObject> {
  const { body, objectKey, lengthBytes, uploadId } = upload;
  const stop = new AbortController();
  const rate = watchRate(body, () => stop.abort(tooSlow()));
  const endLease = keepLease(uploads, uploadId, (error) => stop.abort(error));
  try {
    const options = lengthBytes === null ? {} : { lengthBytes };
    const written = await storage.put(objectKey, detach(upload, stop), options, AbortSignal.any([signal, stop.signal]));
    if (written.sizeBytes === 0) throw emptyBody();
    if (lengthBytes === null || written.sizeBytes === lengthBytes) return written;
    throw new Error(`Expected ${lengthBytes} bytes as announced, got ${written.sizeBytes}.`);
  } catch (error) {
    throw reasonFor(error, body, stop.signal);
  } finally {
    clearInterval(rate);
    endLease();
  }
}

// A failing writer destroys its stream. The request must stay open, because the refusal must still be sent.
function detach({ body, limitBytes, reserve }: Upload, stop: AbortController): Transform {
  const look = watchStart();
  let received = 0;
  const copy = new Transform({
    highWaterMark: BUFFER_BYTES,
    transform(bytes: Buffer, _encoding, done) {
      received += bytes.length;
      const end = (refusal: Error | null) => {
        if (refusal !== null) stop.abort(refusal);
        done(refusal, bytes);
      };
      const refusal = received > limitBytes ? tooLarge(limitBytes) : look(bytes);
      const room = refusal === null ? (reserve?.(received) ?? null) : null;
      if (room === null) end(refusal);
      else room.then(() => end(null), end);
    },
  });
  // The stream may fail before it has a reader, and an unhandled error event would end the process.
  copy.on('error', () => undefined);
  finished(body, { writable: false }, (error) => {
    if (error) copy.destroy(error);
  });
  return body.pipe(copy);
}

/**
 * Renews the lease until the returned function is called, even during an outage of the database. Reports any other
 * failure.
 */
function keepLease(uploads: UploadStore, id: Guid, onFailure: (error: unknown) => void): () => void {
  let isOver = false;
  let timer = setTimeout(renew, RENEW_MS);
  async function renew(): Promise<void> {
    let nextMs = RENEW_MS;
    try {
      await uploads.renew(id);
    } catch (error) {
      if (!isDatabaseAway(error)) return onFailure(error);
      nextMs = RENEW_AGAIN_MS;
    }
    if (!isOver) timer = setTimeout(renew, nextMs);
  }
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

function reasonFor(error: unknown, body: IncomingMessage, stopped: AbortSignal): unknown {
  if (stopped.aborted) return stopped.reason;
  if (error instanceof Refused || !body.destroyed || body.complete) return error;
  return new Refused('invalid', 'The connection ended before the whole file was sent. Send the file again.', {
    cause: error,
  });
}

/** Returns the refusal of an empty upload. */
export function emptyBody(): Refused {
  return new Refused('invalid', 'Expected the bytes of a media file as the body, got an empty body. Send the file.');
}

function tooSlow(): Refused {
  return new Refused(
    'timeout',
    'Expected at least 1 KiB/s over a minute, got less. Send the file again, or use a resumable upload.',
  );
}

/** Returns the refusal of a body above a limit. */
export function tooLarge(limitBytes: number): Refused {
  const size = `${Math.round(limitBytes / 2 ** 20)} MiB`;
  return new Refused('too-large', `Expected a file of at most ${size}, got a larger one. Compress it as FLAC or AAC.`);
}
