import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TusUpload } from '../../catalog/uploads/tus-upload-store.ts';
import { allowedHeaders } from '../../lib/cors.ts';
import type { RefusalKind } from '../../lib/error-catalogue.ts';
import { parseGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { throwAwayRest } from '../../lib/throw-away-rest.ts';
import { ForeignBody } from '../../media/probe/foreign-bytes.ts';
import { createUpload } from './create-upload.ts';
import { readLateLength, readOffset, TUS_VERSION } from './headers.ts';
import { createRunningHashes } from './running-hashes.ts';
import { isSignedBy, readClaim, type TusClaim, wasExpiredAt } from './signature.ts';
import { CHECKSUM_MISMATCH, end, PIECE_TYPE, refuse, refuseType } from './tus-answer.ts';
import type { Serving, TusDeps, TusExchange } from './tus-exchange.ts';
import { createUploadLocks } from './upload-locks.ts';
import { finalize, type Written, writePiece } from './write-piece.ts';

/** `handle` responds to every request. `close` aborts running writes and waits until their bytes are durable. */
export type TusHandler = {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
};

const PATH = /^\/tusupload(?:\/([^/?]*))?\/?(?:\?.*)?$/i;
/** Refusals of a request, after which the upload continues. */
const CORRECTABLE: readonly RefusalKind[] = ['invalid', 'timeout'];
const MAX_HASHED_UPLOADS = 1_000;
const METHODS = 'OPTIONS, POST, HEAD, PATCH, DELETE';
const EXTENSIONS = 'creation,creation-with-upload,creation-defer-length,concatenation,termination,checksum,expiration';
const ALLOWED_HEADERS = [
  ...['AuthorizationSignature', 'AuthorizationExpire', 'AuthorizationSession', 'VideoId', 'LibraryId'],
  ...['Content-Type', 'Tus-Resumable'],
  ...['Upload-Length', 'Upload-Offset', 'Upload-Metadata', 'Upload-Checksum', 'Upload-Defer-Length', 'Upload-Concat'],
  ...['X-HTTP-Method-Override', 'X-Requested-With', 'X-Request-Id', 'AccessKey'],
];
const EXPOSED_HEADERS =
  'Location, Upload-Offset, Upload-Length, Upload-Defer-Length, Upload-Concat, Upload-Metadata, Upload-Expires, ' +
  'Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, X-Request-Id, X-Millrace-Error';

type Exchange = Omit<TusExchange, 'id'>;

/**
 * Creates a handler of resumable uploads: tus 1.0.0 with creation (with-upload, defer-length), concatenation,
 * termination, checksum (sha1) and expiration. Every request is signed by four headers (see `TusClaim`). An upload that
 * was created before its signature expired may finish until the upload itself expires.
 */
export function createTusHandler(deps: TusDeps): TusHandler {
  const stop = new AbortController();
  const serving: Serving = {
    deps,
    locks: createUploadLocks(),
    hashes: createRunningHashes(MAX_HASHED_UPLOADS),
    stopping: stop.signal,
  };
  const running = new Set<Promise<void>>();
  return {
    handle(request, response) {
      const answered = answer({ ...serving, request, response }).catch(deps.onError);
      running.add(answered);
      answered.finally(() => running.delete(answered)).catch(deps.onError);
    },
    async close() {
      stop.abort(new Refused('unavailable', 'The service is stopping. Continue the upload in a moment.'));
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function answer(exchange: Exchange): Promise<void> {
  const { deps, request, response } = exchange;
  response.setHeader('Tus-Resumable', TUS_VERSION);
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  response.setHeader('Cache-Control', 'no-store');
  try {
    const match = PATH.exec(request.url ?? '');
    if (match === null) throw new Refused('not-found', `There is nothing at ${request.url}. Check the URL.`);
    await route({ ...exchange, id: match[1] ?? '' });
  } catch (error) {
    refuse(response, error, deps.onError);
  }
  throwAwayRest(request);
}

async function route(context: TusExchange): Promise<void> {
  const { request, response } = context;
  const method = methodOf(request);
  if (method === 'OPTIONS') return describe(context);
  if (request.headers['tus-resumable'] !== TUS_VERSION) {
    response.setHeader('Tus-Version', TUS_VERSION);
    return end(response, 412, `Expected the header Tus-Resumable to be ${TUS_VERSION}.`);
  }
  const claim = readClaim(request.headers);
  await ensureSigned(context.deps, claim);
  switch (method) {
    case 'POST':
      return noting(context, claim, createUpload(context, claim));
    case 'HEAD':
      return noting(context, claim, reportOffset(context, claim));
    case 'PATCH':
      return noting(context, claim, append(context, claim));
    case 'DELETE':
      return remove(context, claim);
    default:
      response.setHeader('Allow', METHODS);
      return end(response, 405, `Expected ${METHODS}, got ${method}.`);
  }
}

/**
 * Stores on the video why its file was refused. A slow client may continue, and one that sent a wrong header or offset
 * may correct it.
 */
async function noting({ deps }: TusExchange, { libraryId, videoId: mediaId }: TusClaim, done: Promise<void>) {
  await done.catch(async (error: unknown) => {
    const mayContinue = error instanceof Refused && CORRECTABLE.includes(error.kind) && !(error instanceof ForeignBody);
    if (!mayContinue) await deps.uploads.noteRefusal({ libraryId, mediaId }, error);
    throw error;
  });
}

function describe({ request, response, deps }: TusExchange): void {
  response.setHeader('Tus-Version', TUS_VERSION);
  response.setHeader('Tus-Extension', EXTENSIONS);
  response.setHeader('Tus-Checksum-Algorithm', 'sha1');
  response.setHeader('Tus-Max-Size', String(deps.maxBytes));
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', allowedHeaders(request, ALLOWED_HEADERS));
  response.setHeader('Access-Control-Max-Age', '86400');
  end(response, 204);
}

async function reportOffset(context: TusExchange, claim: TusClaim): Promise<void> {
  const { response } = context;
  const upload = await findUpload(context, claim);
  const offset = upload.isComplete ? upload.lengthBytes : await settledOffset(context, upload);
  if (offset !== null) response.setHeader('Upload-Offset', String(offset));
  if (upload.lengthBytes === null) response.setHeader('Upload-Defer-Length', '1');
  else response.setHeader('Upload-Length', String(upload.lengthBytes));
  if (upload.concat !== null) response.setHeader('Upload-Concat', upload.concat);
  if (upload.metadata !== null) response.setHeader('Upload-Metadata', upload.metadata);
  response.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
  end(response, 200);
}

/**
 * Returns the current offset, or null while parts are joined. Taking the lock stops a writer whose client has
 * disconnected, so the offset is final.
 */
async function settledOffset(context: TusExchange, upload: TusUpload): Promise<number | null> {
  try {
    return await context.locks.hold(upload.id, () => finalize(context, upload));
  } catch (error) {
    if (upload.kind === 'final' && error instanceof Refused && error.kind === 'conflict') return null;
    throw error;
  }
}

async function append(context: TusExchange, claim: TusClaim): Promise<void> {
  const { deps, request, response, locks } = context;
  const { 'content-type': type } = request.headers;
  if (type !== PIECE_TYPE) return refuseType(response, type);
  const offset = readOffset(request.headers);
  const lateLength = readLateLength(request.headers, deps.maxBytes);
  const upload = await findUpload(context, claim);
  if (upload.kind === 'final') {
    return end(response, 403, 'A final upload takes no bytes. Send PATCH to a partial upload.');
  }
  const isOver = upload.isComplete && upload.lengthBytes !== null;
  const written: Written = isOver
    ? { kind: 'over', size: upload.lengthBytes ?? 0 }
    : await locks.hold(upload.id, (taken) => writePiece(context, { upload, offset, lateLength }, taken));
  await confirmPiece(context, { upload, offset, written });
}

type Confirmed = { upload: TusUpload; offset: number; written: Written };

/**
 * Confirms a chunk that a client sends again because it did not get the last response. The response is the same, and
 * nothing is done twice.
 */
async function confirmPiece(
  { deps, response }: TusExchange,
  { upload, offset, written: { kind, size } }: Confirmed,
): Promise<void> {
  response.setHeader('Upload-Offset', String(size));
  if (kind === 'elsewhere' || (kind === 'over' && offset > size)) {
    return end(response, 409, `Expected Upload-Offset ${size}, got ${offset}.`);
  }
  if (kind === 'mismatch') {
    return end(response, CHECKSUM_MISMATCH, 'The bytes that arrived do not have the SHA-1 of Upload-Checksum.');
  }
  if (kind === 'written') response.setHeader('Upload-Expires', (await deps.uploads.keep(upload)).toUTCString());
  end(response, 204);
}

async function remove(context: TusExchange, claim: TusClaim): Promise<void> {
  const upload = await findUpload(context, claim);
  if (upload.isComplete) throw new Refused('not-found', 'The upload is complete. Delete the video to remove its file.');
  await context.locks.hold(upload.id, () => context.deps.uploads.drop(upload));
  end(context.response, 204);
}

async function findUpload({ deps, id }: TusExchange, claim: TusClaim): Promise<TusUpload> {
  const guid = parseGuid(id);
  const upload = guid === null ? null : await deps.uploads.findUpload(guid);
  const isOwn = upload?.key.libraryId === claim.libraryId && upload.key.mediaId === claim.videoId;
  if (upload === null || !isOwn) {
    throw new Refused('not-found', 'This upload does not exist or has expired. Create a new upload.');
  }
  if (wasExpiredAt(claim, upload.createdAt)) {
    throw new Refused(
      'unauthenticated',
      'The signature (AuthorizationExpire) had expired before this upload was created. Sign again.',
    );
  }
  return upload;
}

async function ensureSigned(deps: TusDeps, claim: TusClaim): Promise<void> {
  const key = await deps.uploads.libraryKey(claim.libraryId);
  const isOpen = claim.sessionId === null || (await deps.mayUpload(claim.sessionId, claim.libraryId));
  if (!isOpen) {
    throw new Refused('unauthenticated', 'The session that signed this upload has ended. Sign in again.');
  }
  if (key === null || !isSignedBy(claim, key)) {
    throw new Refused(
      'unauthenticated',
      'Expected AuthorizationSignature to be hex(SHA-256(libraryId + apiKey + expire + videoId)), ' +
        'got a different one. Sign again.',
    );
  }
}

function methodOf(request: IncomingMessage): string {
  const override = request.headers['x-http-method-override'];
  return request.method === 'POST' && typeof override === 'string' ? override.toUpperCase() : (request.method ?? 'GET');
}
