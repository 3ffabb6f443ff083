import type { IncomingHttpHeaders } from 'node:http';
import { MAX_OPEN_PER_VIDEO, type TusUpload } from '../../catalog/uploads/tus-upload-store.ts';
import { requireSpace } from '../../jobs/uploads/require-space.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';
import { type FinalCreation, hasBody, type OpenCreation, readCreation } from './headers.ts';
import { isExpired, type TusClaim, wasExpiredAt } from './signature.ts';
import { CHECKSUM_MISMATCH, end, PIECE_TYPE, refuseType } from './tus-answer.ts';
import type { TusExchange } from './tus-exchange.ts';
import { finalize, writePiece } from './write-piece.ts';

/**
 * Creates an upload of a file or of a part, or the final upload of parts. The request body may contain the first bytes
 * (creation-with-upload). If the 201 response cannot be sent, the upload is removed, because the client does not know
 * its URL.
 */
export async function createUpload(exchange: TusExchange, claim: TusClaim): Promise<void> {
  const { deps, request, response } = exchange;
  const creation = readCreation(request.headers, { maxBytes: deps.maxBytes, maxParts: MAX_OPEN_PER_VIDEO });
  const { 'content-type': type } = request.headers;
  if (hasBody(request.headers) && type !== PIECE_TYPE) return refuseType(response, type);
  requireFit(request.headers, { creation, maxBytes: deps.maxBytes });
  if (creation.kind === 'final') return createFinal(exchange, claim, creation);
  if (isExpired(claim)) throw expired();
  await requireSpace(creation.lengthBytes ?? Number(request.headers['content-length'] ?? 0), deps.space);
  const upload = await deps.uploads.open({ libraryId: claim.libraryId, mediaId: claim.videoId }, creation);
  const { libraryId, mediaId: videoGuid } = upload.key;
  logEvent('upload.begun', { kind: 'tus', videoGuid, libraryId, uploadId: upload.id, bytes: upload.lengthBytes });
  if (type === PIECE_TYPE) return receiveFirst(exchange, upload);
  confirm(exchange, upload);
}

/** Throws `Refused` if the body is longer than the upload, or if a final upload has a body. */
function requireFit(
  headers: IncomingHttpHeaders,
  { creation, maxBytes }: { creation: OpenCreation | FinalCreation; maxBytes: number },
): void {
  if (creation.kind === 'final') {
    if (!hasBody(headers)) return;
    throw new Refused(
      'invalid',
      'Expected a final upload without a body, got a body. The parts are its content. Send the request without a body.',
    );
  }
  const limitBytes = creation.lengthBytes ?? maxBytes;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > limitBytes) {
    const remedy = creation.lengthBytes === null ? 'Send a smaller file.' : 'Send no more than Upload-Length.';
    throw new Refused('too-large', `Expected a body of at most ${limitBytes} bytes, got ${announced}. ${remedy}`);
  }
}

async function receiveFirst(exchange: TusExchange, upload: TusUpload): Promise<void> {
  const { deps, locks, response } = exchange;
  try {
    const written = await locks.hold(upload.id, (taken) =>
      writePiece(exchange, { upload, offset: 0, lateLength: null }, taken),
    );
    if (written.kind !== 'mismatch') {
      response.setHeader('Upload-Offset', String(written.size));
      return confirm(exchange, upload);
    }
  } catch (error) {
    await deps.uploads.drop(upload).catch(deps.onError);
    throw error;
  }
  await deps.uploads.drop(upload);
  end(response, CHECKSUM_MISMATCH, 'The bytes that arrived do not have the SHA-1 of Upload-Checksum. Send them again.');
}

async function createFinal(exchange: TusExchange, claim: TusClaim, creation: FinalCreation): Promise<void> {
  const { deps, locks } = exchange;
  const key = { libraryId: claim.libraryId, mediaId: claim.videoId };
  const upload = await deps.uploads.openFinal(key, creation, (part) => !wasExpiredAt(claim, part.createdAt));
  if (!upload.isComplete) await locks.hold(upload.id, () => finalize(exchange, upload));
  confirm(exchange, upload);
}

function confirm({ deps, request, response }: TusExchange, upload: TusUpload): void {
  response.setHeader('Location', `${deps.publicUrl(request)}/tusupload/${upload.id}`);
  response.setHeader('Upload-Expires', upload.expiresAt.toUTCString());
  end(response, 201);
}

function expired(): Refused {
  return new Refused('unauthenticated', 'The signature has expired (AuthorizationExpire is in the past). Sign again.');
}
