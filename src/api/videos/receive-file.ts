import type { IncomingMessage } from 'node:http';
import type { FollowUp, MediaKey } from '../../catalog/db.ts';
import { retryWhileAway } from '../../catalog/retry-while-away.ts';
import type { UploadOptions } from '../../catalog/schema.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import type { UploadStore } from '../../catalog/uploads/upload-store.ts';
import { requireSpace, type SpaceDeps } from '../../jobs/uploads/require-space.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { reasonOf } from '../../lib/mask-paths.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage, StorageKey, WrittenObject } from '../../ports/storage.ts';
import { emptyBody, receiveBytes, tooLarge } from './receive-bytes.ts';

/** Time for which a commit is retried while the database is down, once all bytes are stored, in ms. */
const AWAY_MS = 30_000;
const ASK_AGAIN_MS = 500;

/**
 * A file of a video to receive as the body of a request. `commit` gives the stored file to the video and runs `closing`
 * in the same transaction; it may be called again after a commit whose response was lost.
 */
export type FileUpload<T> = {
  key: MediaKey;
  body: IncomingMessage;
  options: UploadOptions;
  limitBytes?: number;
  commit(file: { key: StorageKey } & WrittenObject, closing: FollowUp): Promise<T>;
};

export type FileDeps = SpaceDeps & { uploads: UploadStore; storage: Storage };

/**
 * Stores the body of a request as a file of a video, under an upload session, so that the sweep removes the bytes if
 * this process dies. Throws `Refused`: `invalid` if the body is empty or not a media file, `too-large` if the body
 * exceeds the limit, `quota-reached` if the library has no room for it, `disk-full` if it does not fit on the disk.
 */
export async function receiveFile<T>(
  { key, body, options, limitBytes = Number.POSITIVE_INFINITY, commit }: FileUpload<T>,
  deps: FileDeps,
  signal: AbortSignal,
): Promise<T> {
  const { uploads } = deps;
  const lengthBytes = announcedBytes(body);
  if (lengthBytes === 0) throw emptyBody();
  if ((lengthBytes ?? 0) > limitBytes) throw tooLarge(limitBytes);
  await requireSpace(lengthBytes ?? 0, deps);
  const uploadId = await uploads.openPut(key, { lengthBytes, options });
  const objectKey = sourceKeyOf(key, uploadId);
  const reserve = lengthBytes === null ? uploads.reserve(key, uploadId) : null;
  const upload = { body, objectKey, lengthBytes, uploadId, limitBytes, reserve };
  const line = { kind: 'put', videoGuid: key.mediaId, libraryId: key.libraryId, uploadId };
  const startedMs = performance.now();
  logEvent('upload.begun', { ...line, bytes: lengthBytes });
  const written = await receiveBytes(upload, deps, signal).catch((error) =>
    forget(line, { objectKey, because: error }, deps),
  );
  const give = () => commit({ key: objectKey, ...written }, uploads.closing(uploadId));
  const limit = AbortSignal.any([signal, AbortSignal.timeout(AWAY_MS)]);
  const retrying = { isIdempotent: true, maxPauseMs: ASK_AGAIN_MS };
  const given = retryWhileAway(give, retrying, limit).catch((error) => {
    // After any other error the commit may have succeeded. The lease of the upload session expires, and the sweep then
    // removes the bytes if they are not in use.
    if (!(error instanceof Refused)) throw error;
    return forget(line, { objectKey, because: error }, deps);
  });
  const answer = await given;
  logEvent('upload.finished', { ...line, bytes: written.sizeBytes, durationMs: performance.now() - startedMs });
  return answer;
}

function announcedBytes({ headers }: IncomingMessage): number | null {
  const text = headers['content-length'];
  if (text !== undefined) return Number(text);
  return headers['transfer-encoding'] === undefined ? 0 : null;
}

/**
 * Removes the bytes and the session of a failed upload, and throws the error again. If the removal fails, the upload
 * sweep repeats it.
 */
async function forget(
  line: { kind: string; videoGuid: Guid; libraryId: number; uploadId: Guid },
  { objectKey, because }: { objectKey: StorageKey; because: unknown },
  { uploads, storage }: FileDeps,
): Promise<never> {
  await Promise.allSettled([storage.delete([objectKey]).then(() => uploads.close(line.uploadId))]);
  logEvent('upload.abandoned', { ...line, reason: reasonOf(because) });
  throw because;
}
