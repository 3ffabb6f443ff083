import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MediaKey } from '../../catalog/db.ts';
import type { TusUpload } from '../../catalog/uploads/tus-upload-store.ts';
import { requireSpace, type SpaceDeps } from '../../jobs/uploads/require-space.ts';
import { allowedHeaders } from '../../lib/cors.ts';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Staging } from '../../ports/storage.ts';
import { readChecksum, readCreation, readOffset, TUS_VERSION, type TusCreation } from './headers.ts';
import { receivePiece } from './receive-piece.ts';
import { createRunningHashes, type RunningHashes } from './running-hashes.ts';
import { isSignedBy, readClaim, type TusClaim } from './signature.ts';
import { end, refuse, throwAwayRest } from './tus-answer.ts';
import { createUploadLocks, type UploadLocks } from './upload-locks.ts';

/** What the handler needs of the catalogue. */
export type TusUploads = {
  /** The library's key in the clear, null when there is no such library. */
  libraryKey(libraryId: number): Promise<string | null>;
  /** Opens an upload for a video without a file. Refuses an unknown video and one that has its file. */
  open(key: MediaKey, creation: TusCreation): Promise<TusUpload>;
  find(id: Guid): Promise<TusUpload | null>;
  /** Puts off the expiry of an upload that someone goes on with; answers when it expires now. */
  keep(upload: TusUpload): Promise<Date>;
  /** How many bytes are durably there, those of an end that a crash cut short included. */
  size(upload: TusUpload): Promise<number>;
  /** Gives the staged bytes to the video and starts its processing; doing it twice changes nothing. */
  complete(upload: TusUpload, sha256: Buffer | null, signal: AbortSignal): Promise<void>;
  /** Forgets an upload that is not complete. */
  drop(upload: TusUpload): Promise<void>;
};

export type TusDeps = {
  uploads: TusUploads;
  staging: Staging;
  maxBytes: number;
  /** Where this server is reached, without a final slash. */
  publicUrl(request: IncomingMessage): string;
  space: SpaceDeps;
  onError(error: unknown): void;
};

/**
 * `handle` answers every request that it is given; `close` ends the writing ones and waits until their bytes are safe.
 */
export type TusHandler = {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
};

/** So often an upload's expiry is put off while a piece of it arrives. */
const KEEP_MS = 3_600_000;

const PATH = /^\/tusupload(?:\/([^/?]*))?\/?(?:\?.*)?$/i;
const MAX_HASHED_UPLOADS = 1_000;
const CHECKSUM_MISMATCH = 460;
const METHODS = 'OPTIONS, POST, HEAD, PATCH, DELETE';
const EXTENSIONS = 'creation,termination,checksum,expiration';
const ALLOWED_HEADERS = [
  ...['AuthorizationSignature', 'AuthorizationExpire', 'VideoId', 'LibraryId', 'Content-Type', 'Tus-Resumable'],
  ...['Upload-Length', 'Upload-Offset', 'Upload-Metadata', 'Upload-Checksum', 'Upload-Defer-Length', 'Upload-Concat'],
  ...['X-HTTP-Method-Override', 'X-Requested-With', 'X-Request-Id', 'AccessKey'],
];
const EXPOSED_HEADERS =
  'Location, Upload-Offset, Upload-Length, Upload-Expires, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, ' +
  'X-Request-Id';

type Serving = { deps: TusDeps; locks: UploadLocks; hashes: RunningHashes; stopping: AbortSignal };
type Exchange = Serving & { request: IncomingMessage; response: ServerResponse };

/** An exchange about the upload that its path names; of a POST the name says nothing. */
type Context = Exchange & { id: string };

/**
 * Resumable uploads, tus 1.0.0 with creation, termination, checksum (sha1) and expiration. Every request is signed by
 * four headers (interface facts, section 7). A session that was opened in time may finish after its signature's
 * expiry, until the upload itself expires.
 */
export function createTusHandler(deps: TusDeps): TusHandler {
  const stop = new AbortController();
  const serving = {
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
      stop.abort(new Refused('unavailable', 'The service is stopping; go on with the upload in a moment.'));
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
    if (match === null) throw new Refused('not-found', `There is nothing at ${request.url}. Check the address.`);
    await route({ ...exchange, id: match[1] ?? '' });
  } catch (error) {
    refuse(response, error, deps.onError);
  }
  throwAwayRest(request);
}

async function route(context: Context): Promise<void> {
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
      return create(context, claim);
    case 'HEAD':
      return answerOffset(context, claim);
    case 'PATCH':
      return append(context, claim);
    case 'DELETE':
      return remove(context, claim);
    default:
      response.setHeader('Allow', METHODS);
      return end(response, 405, `Expected ${METHODS}, got ${method}.`);
  }
}

function describe({ request, response, deps }: Context): void {
  response.setHeader('Tus-Version', TUS_VERSION);
  response.setHeader('Tus-Extension', EXTENSIONS);
  response.setHeader('Tus-Checksum-Algorithm', 'sha1');
  response.setHeader('Tus-Max-Size', String(deps.maxBytes));
  response.setHeader('Access-Control-Allow-Methods', METHODS);
  response.setHeader('Access-Control-Allow-Headers', allowedHeaders(request, ALLOWED_HEADERS));
  response.setHeader('Access-Control-Max-Age', '86400');
  end(response, 204);
}

async function create({ deps, request, response }: Context, claim: TusClaim): Promise<void> {
  if (claim.expiresSec * 1000 < Date.now()) {
    throw new Refused(
      'unauthenticated',
      'The signature has expired (AuthorizationExpire lies in the past); sign anew.',
    );
  }
  const creation = readCreation(request.headers, deps.maxBytes);
  await requireSpace(creation.lengthBytes, deps.space);
  const upload = await deps.uploads.open({ libraryId: claim.libraryId, mediaId: claim.videoId }, creation);
  response.setHeader('Location', `${deps.publicUrl(request)}/tusupload/${upload.id}`);
  response.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
  end(response, 201);
}

async function answerOffset(context: Context, claim: TusClaim): Promise<void> {
  const { response, locks } = context;
  const upload = await findUpload(context, claim);
  // Taking the lock ends a writer whose client has gone, so the offset answered is the final one.
  const offset = upload.isComplete ? upload.lengthBytes : await locks.hold(upload.id, () => finalize(context, upload));
  response.setHeader('Upload-Offset', String(offset));
  response.setHeader('Upload-Length', String(upload.lengthBytes));
  response.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
  end(response, 200);
}

/** The staged size. All bytes may be there although a crash came before the video got them: that is made good here. */
async function finalize(context: Context, upload: TusUpload): Promise<number> {
  const size = await context.deps.uploads.size(upload);
  if (size === upload.lengthBytes) await complete(context, upload);
  return size;
}

// Not ended by a newer request: on a bucket it takes long, and a client out of patience would make it start over.
async function complete({ deps, hashes, stopping }: Context, upload: TusUpload): Promise<void> {
  const running = hashes.take(upload.id, upload.lengthBytes);
  await deps.uploads.complete(upload, running?.hash.digest() ?? null, stopping);
}

async function append(context: Context, claim: TusClaim): Promise<void> {
  const { request, response, locks } = context;
  if (request.headers['content-type'] !== 'application/offset+octet-stream') {
    return end(response, 415, 'Expected the Content-Type application/offset+octet-stream.');
  }
  const offset = readOffset(request.headers);
  const upload = await findUpload(context, claim);
  if (upload.isComplete) return confirmRepeat(context, upload, offset);
  await locks.hold(upload.id, (signal) => write(context, { upload, offset }, signal));
}

/** A client that lost the last answer sends its last piece again: it gets the same answer, nothing is done twice. */
function confirmRepeat({ response }: Context, upload: TusUpload, offset: number): void {
  response.setHeader('Upload-Offset', String(upload.lengthBytes));
  if (offset > upload.lengthBytes) end(response, 409, `Expected Upload-Offset ${upload.lengthBytes}, got ${offset}.`);
  else end(response, 204);
}

type Write = { upload: TusUpload; offset: number };

async function write(context: Context, { upload, offset }: Write, taken: AbortSignal): Promise<void> {
  const { deps, request, stopping } = context;
  const checksum = readChecksum(request.headers);
  // The staging itself refuses an offset that is not its size, so most pieces need not request it before.
  const mayBeOver = offset === 0 || offset >= upload.lengthBytes;
  if (mayBeOver && (await finalize(context, upload)) !== offset) return correct(context, upload, offset);
  const piece = { uploadId: upload.id, request, offset, maxBytes: upload.lengthBytes - offset, checksum };
  const lost = new AbortController();
  const stopped = AbortSignal.any([taken, stopping, lost.signal]);
  const keep = () => void keepMeanwhile(deps, upload, lost);
  keep();
  const kept = setInterval(keep, KEEP_MS);
  try {
    const size = await receivePiece(piece, { ...deps, hashes: context.hashes }, stopped);
    await confirmPiece(context, upload, { offset, size });
  } catch (error) {
    if (stopped.aborted || !(error instanceof Refused) || error.kind !== 'conflict') throw error;
    await correct(context, upload, offset);
  } finally {
    clearInterval(kept);
  }
}

/** One piece may be the whole file, and take days. */
async function keepMeanwhile({ uploads, onError }: TusDeps, upload: TusUpload, lost: AbortController): Promise<void> {
  try {
    await uploads.keep(upload);
  } catch (error) {
    if (error instanceof Refused) lost.abort(error);
    else onError(error);
  }
}

/** The piece does not go on where the upload ends: reports where that is, or that all is there already. */
async function correct(context: Context, upload: TusUpload, offset: number): Promise<void> {
  const size = await finalize(context, upload);
  if (size === upload.lengthBytes) return confirmRepeat(context, upload, offset);
  context.response.setHeader('Upload-Offset', String(size));
  end(context.response, 409, `Expected Upload-Offset ${size}, got ${offset}.`);
}

async function confirmPiece(
  context: Context,
  upload: TusUpload,
  { offset, size }: { offset: number; size: number | null },
): Promise<void> {
  const { deps, response } = context;
  response.setHeader('Upload-Offset', String(size ?? offset));
  if (size === null) {
    return end(response, CHECKSUM_MISMATCH, 'The bytes that arrived do not have the SHA-1 that Upload-Checksum says.');
  }
  if (size === upload.lengthBytes) await complete(context, upload);
  response.setHeader('Upload-Expires', (await deps.uploads.keep(upload)).toUTCString());
  end(response, 204);
}

async function remove(context: Context, claim: TusClaim): Promise<void> {
  const upload = await findUpload(context, claim);
  if (upload.isComplete) throw new Refused('not-found', 'The upload is complete; delete the video to remove its file.');
  await context.locks.hold(upload.id, () => context.deps.uploads.drop(upload));
  end(context.response, 204);
}

async function findUpload({ deps, id }: Context, claim: TusClaim): Promise<TusUpload> {
  const guid = parseGuid(id);
  const upload = guid === null ? null : await deps.uploads.find(guid);
  const isOwn = upload?.key.libraryId === claim.libraryId && upload.key.mediaId === claim.videoId;
  if (upload === null || !isOwn) {
    throw new Refused('not-found', 'There is no such upload, or it has expired; create a new one.');
  }
  return upload;
}

async function ensureSigned(deps: TusDeps, claim: TusClaim): Promise<void> {
  const key = await deps.uploads.libraryKey(claim.libraryId);
  if (key === null || !isSignedBy(claim, key)) {
    throw new Refused(
      'unauthenticated',
      'AuthorizationSignature does not match: expected hex(SHA-256(libraryId + apiKey + expire + videoId)).',
    );
  }
}

function methodOf(request: IncomingMessage): string {
  const override = request.headers['x-http-method-override'];
  return request.method === 'POST' && typeof override === 'string' ? override.toUpperCase() : (request.method ?? 'GET');
}
