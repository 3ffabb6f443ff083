import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Transform } from 'node:stream';
import type { MediaKey } from '../../catalog/db.ts';
import { type Guid, parseGuid } from '../../lib/guid.ts';
import { type RefusalKind, Refused } from '../../lib/refused.ts';
import type { Staging } from '../../ports/storage.ts';
import { readChecksum, readCreation, readOffset, TUS_VERSION, type TusCreation } from './headers.ts';
import { isSignedBy, readClaim, type TusClaim } from './signature.ts';
import { createUploadLocks, type UploadLocks } from './upload-locks.ts';

/** An upload that a client may go on with. `isComplete`: all bytes are in and the video has its file. */
export type OpenUpload = { id: Guid; key: MediaKey; lengthBytes: number; expiresAt: Date; isComplete: boolean };

/** What the handler needs of the catalogue. */
export type TusUploads = {
  /** The library's key in the clear, null when there is no such library. */
  libraryKey(libraryId: number): Promise<string | null>;
  /** Opens an upload for a video without a file. Refuses an unknown video and one that has its file. */
  open(key: MediaKey, creation: TusCreation): Promise<OpenUpload>;
  find(id: Guid): Promise<OpenUpload | null>;
  /** Gives the staged bytes to the video and starts its processing; doing it twice changes nothing. */
  complete(upload: OpenUpload, signal: AbortSignal): Promise<void>;
  /** Forgets an upload that is not complete. */
  drop(upload: OpenUpload): Promise<void>;
};

export type TusDeps = {
  uploads: TusUploads;
  staging: Staging;
  maxBytes: number;
  /** Where this server is reached, without a final slash. */
  publicUrl(request: IncomingMessage): string;
  /** Refuses when the medium cannot take this many bytes more. */
  ensureSpace(lengthBytes: number): Promise<void>;
  onError(error: unknown): void;
};

const PATH = /^\/tusupload(?:\/([^/?]*))?\/?(?:\?.*)?$/i;
const CHECKSUM_MISMATCH = 460;
const EXTENSIONS = 'creation,termination,checksum,expiration';
const ALLOWED_HEADERS =
  'AuthorizationSignature, AuthorizationExpire, VideoId, LibraryId, Content-Type, Tus-Resumable, Upload-Length, ' +
  'Upload-Offset, Upload-Metadata, Upload-Checksum, Upload-Defer-Length, X-HTTP-Method-Override, X-Requested-With';
const EXPOSED_HEADERS =
  'Location, Upload-Offset, Upload-Length, Upload-Expires, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size';

const STATUS: Partial<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  busy: 429,
  unavailable: 503,
  'disk-full': 507,
};

type Context = { deps: TusDeps; locks: UploadLocks; request: IncomingMessage; response: ServerResponse; id: string };

/**
 * Resumable uploads, tus 1.0.0 with creation, termination, checksum (sha1) and expiration. Every request is signed by
 * four headers (interface facts, section 7). A session that was opened in time may finish after its signature's
 * expiry, until the upload itself expires. Answers true when the request was one of its own.
 */
export function createTusHandler(deps: TusDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const locks = createUploadLocks();
  return (request, response) => {
    const match = PATH.exec(request.url ?? '');
    if (match === null) return false;
    answer({ deps, locks, request, response, id: match[1] ?? '' }).catch(deps.onError);
    return true;
  };
}

async function answer(context: Context): Promise<void> {
  const { request, response } = context;
  response.setHeader('Tus-Resumable', TUS_VERSION);
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
  response.setHeader('Cache-Control', 'no-store');
  try {
    await route(context);
  } catch (error) {
    refuse(context, error);
  } finally {
    // What the client still sends of a refused body is not waited for.
    if (!request.complete) response.once('finish', () => request.destroy());
  }
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
      return tellOffset(context, claim);
    case 'PATCH':
      return append(context, claim);
    case 'DELETE':
      return remove(context, claim);
    default:
      response.setHeader('Allow', 'OPTIONS, POST, HEAD, PATCH, DELETE');
      return end(response, 405, `Expected OPTIONS, POST, HEAD, PATCH or DELETE, got ${method}.`);
  }
}

function describe({ response, deps }: Context): void {
  response.setHeader('Tus-Version', TUS_VERSION);
  response.setHeader('Tus-Extension', EXTENSIONS);
  response.setHeader('Tus-Checksum-Algorithm', 'sha1');
  response.setHeader('Tus-Max-Size', String(deps.maxBytes));
  response.setHeader('Access-Control-Allow-Methods', 'OPTIONS, POST, HEAD, PATCH, DELETE');
  response.setHeader('Access-Control-Allow-Headers', ALLOWED_HEADERS);
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
  await deps.ensureSpace(creation.lengthBytes);
  const upload = await deps.uploads.open({ libraryId: claim.libraryId, mediaId: claim.videoId }, creation);
  response.setHeader('Location', `${deps.publicUrl(request)}/tusupload/${upload.id}`);
  response.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
  end(response, 201);
}

async function tellOffset(context: Context, claim: TusClaim): Promise<void> {
  const { response, deps } = context;
  const upload = await findUpload(context, claim);
  // Taking the lock ends a writer whose client has gone, so the offset told is the final one.
  const offset = upload.isComplete
    ? upload.lengthBytes
    : await context.locks.hold(upload.id, (signal) => settleOffset(deps, upload, signal));
  response.setHeader('Upload-Offset', String(offset));
  response.setHeader('Upload-Length', String(upload.lengthBytes));
  response.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
  end(response, 200);
}

/** The staged size. All bytes may be there although a crash came before the video got them: that is made good here. */
async function settleOffset(deps: TusDeps, upload: OpenUpload, signal: AbortSignal): Promise<number> {
  const sizeBytes = await deps.staging.size(upload.id);
  if (sizeBytes === upload.lengthBytes) await deps.uploads.complete(upload, signal);
  return sizeBytes;
}

async function append(context: Context, claim: TusClaim): Promise<void> {
  const { request, response } = context;
  if (request.headers['content-type'] !== 'application/offset+octet-stream') {
    return end(response, 415, 'Expected the Content-Type application/offset+octet-stream.');
  }
  const offset = readOffset(request.headers);
  const upload = await findUpload(context, claim);
  if (upload.isComplete) return confirmRepeat(context, upload, offset);
  await context.locks.hold(upload.id, (signal) => write(context, upload, offset, signal));
}

/** A client that lost the last answer sends its last piece again: it hears the same answer, nothing is done twice. */
function confirmRepeat({ response }: Context, upload: OpenUpload, offset: number): void {
  response.setHeader('Upload-Offset', String(upload.lengthBytes));
  if (offset > upload.lengthBytes) end(response, 409, `Expected Upload-Offset ${upload.lengthBytes}, got ${offset}.`);
  else end(response, 204);
}

async function write(context: Context, upload: OpenUpload, offset: number, stopped: AbortSignal): Promise<void> {
  const { deps, request, response } = context;
  const before = await deps.staging.size(upload.id);
  if (offset !== before) {
    response.setHeader('Upload-Offset', String(before));
    return end(response, 409, `Expected Upload-Offset ${before}, got ${offset}.`);
  }
  const checksum = readChecksum(request.headers);
  const hash = createHash('sha1');
  const body = request.pipe(limitTo(upload.lengthBytes - before, checksum === null ? null : hash));
  request.once('close', () => body.destroy(request.complete ? undefined : new Error('The client went away.')));
  const after = await deps.staging.append(upload.id, before, body, stopped);
  if (checksum !== null && !hash.digest().equals(checksum.digest)) {
    await deps.staging.rewind(upload.id, before);
    response.setHeader('Upload-Offset', String(before));
    return end(response, CHECKSUM_MISMATCH, 'The bytes that arrived do not have the SHA-1 that Upload-Checksum says.');
  }
  if (after === upload.lengthBytes) await deps.uploads.complete(upload, stopped);
  response.setHeader('Upload-Offset', String(after));
  response.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
  end(response, 204);
}

function limitTo(maxBytes: number, hash: ReturnType<typeof createHash> | null): Transform {
  let seen = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      seen += piece.byteLength;
      if (seen > maxBytes) {
        done(new Refused('too-large', `Expected at most ${maxBytes} bytes more, as Upload-Length said.`));
        return;
      }
      hash?.update(piece);
      done(null, piece);
    },
  });
}

async function remove(context: Context, claim: TusClaim): Promise<void> {
  const upload = await findUpload(context, claim);
  if (upload.isComplete) throw new Refused('not-found', 'The upload is complete; delete the video to remove its file.');
  await context.locks.hold(upload.id, () => context.deps.uploads.drop(upload));
  end(context.response, 204);
}

async function findUpload({ deps, id }: Context, claim: TusClaim): Promise<OpenUpload> {
  const guid = parseGuid(id);
  const upload = guid === null ? null : await deps.uploads.find(guid);
  const isOwn = upload?.key.libraryId === claim.libraryId && upload.key.mediaId === claim.videoId;
  if (upload === null || !isOwn || upload.expiresAt.getTime() < Date.now()) {
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

function refuse({ deps, response, request }: Context, error: unknown): void {
  if (!(error instanceof Refused) && !request.destroyed) deps.onError(error);
  if (response.headersSent || response.destroyed) return;
  const status = error instanceof Refused ? (STATUS[error.kind] ?? 400) : 500;
  if (status === 503 || status === 429) response.setHeader('Retry-After', '5');
  end(response, status, error instanceof Refused ? error.message : 'The upload could not be stored; try again.');
}

/** Bodies are StatusModel, and the 401 the interface's own spelling of it. */
function end(response: ServerResponse, status: number, message?: string): void {
  response.statusCode = status;
  if (message === undefined) {
    response.end();
    return;
  }
  const body =
    status === 401
      ? { Success: false, Message: message, StatusCode: 401 }
      : { success: false, message, statusCode: status };
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.end(JSON.stringify(body));
}
