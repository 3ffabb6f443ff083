import { DetailedError, Upload } from 'tus-js-client';
import { ApiError, api, describeError } from '../base/api.ts';
import { prefix } from '../base/router.ts';

type Signature = {
  LibraryId: string;
  VideoId: string;
  AuthorizationExpire: string;
  AuthorizationSignature: string;
};

/** For answers that pass by themselves; a service that does not answer is left to the caller. */
const RETRY_MS = [0, 1_000, 3_000, 10_000, 30_000];
/** A signature is made anew when less than this is left of it. */
const RENEW_SEC = 300;
/** Bytes in one request: what a lost connection costs at most. */
const PIECE_BYTES = 16 * 2 ** 20;
const UNAUTHENTICATED = 401;

/** Where a file goes, and what is done as it gets there. */
export type Transfer = {
  libraryId: number;
  videoId: string;
  onProgress: (sentBytes: number) => void;
  onDone: () => void;
  onError: (error: unknown) => void;
};

/**
 * Opens the resumable upload of a file, behind what the service has of it already. The signature is renewed on the way,
 * and when the service finds it expired: the clock of this computer may be behind. The caller starts the upload.
 */
export async function openTransfer(file: File, { libraryId, videoId, ...on }: Transfer): Promise<Upload> {
  let signature = await sign(libraryId, videoId);
  let isRefused = false;
  const upload = new Upload(file, {
    endpoint: `${prefix}/tusupload`,
    retryDelays: RETRY_MS,
    chunkSize: PIECE_BYTES,
    // No title: the video has one, which may have been changed since.
    metadata: { filetype: file.type },
    // A file that was changed begins anew: its bytes must not be joined to those of the one before.
    fingerprint: async () => `millrace/${libraryId}/${videoId}/${file.lastModified}`,
    removeFingerprintOnSuccess: true,
    async onBeforeRequest(request) {
      const isOld = Number(signature.AuthorizationExpire) - Date.now() / 1000 < RENEW_SEC;
      if (isOld || isRefused) signature = await sign(libraryId, videoId);
      isRefused = false;
      for (const [header, value] of Object.entries(signature)) request.setHeader(header, value);
    },
    onShouldRetry(error) {
      if (!(error instanceof DetailedError)) return false;
      if (error.causingError instanceof ApiError && error.causingError.status < 500) return false;
      const status = error.originalResponse?.getStatus() ?? null;
      if (status === null) return false;
      isRefused = status === UNAUTHENTICATED;
      return isRefused || status >= 500 || status === 409 || status === 423;
    },
    onProgress: on.onProgress,
    onSuccess: on.onDone,
    onError: on.onError,
  });
  const [earlier] = await upload.findPreviousUploads();
  if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
  return upload;
}

function sign(libraryId: number, videoId: string): Promise<Signature> {
  return api<Signature>('POST', `/dashboard/libraries/${libraryId}/videos/${videoId}/upload-signature`);
}

/** Whether an upload ended because the service could not be reached, which passes by itself. */
export function isCutOff(error: unknown): boolean {
  // What fetch throws without an answer.
  if (error instanceof TypeError) return true;
  if (!(error instanceof DetailedError) || error.originalResponse !== null) return false;
  return !(error.causingError instanceof ApiError);
}

/** Why an upload ended, in the words of the service where it answered. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof DetailedError)) return describeError(error);
  if (error.causingError instanceof ApiError) return describeError(error.causingError);
  const status = error.originalResponse?.getStatus();
  const body = error.originalResponse?.getBody().trim() ?? '';
  return body === '' ? `The service answered with the status ${status}.` : readMessage(body);
}

/** Refusals of uploads are JSON with a message, or plain text. */
function readMessage(body: string): string {
  try {
    const { message, Message }: { message?: unknown; Message?: unknown } = Object(JSON.parse(body));
    return String(message ?? Message ?? body);
  } catch {
    // Plain text is the message.
    return body;
  }
}
