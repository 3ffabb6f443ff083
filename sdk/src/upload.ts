import { ApiError, isFinal, isTemporary, UnreachableError } from './api-error.ts';
import { baseOf, type Connection, callOperation, type Input, send } from './call.ts';
import { sha256Hex } from './digest.ts';
import { type PartRequest, sendPartWithProgress } from './send-part-with-progress.ts';

const PART_BYTES = 16 * 1024 * 1024;
const MAX_FAILURES_IN_A_ROW = 8;
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
const SIGNATURE_SEC = 24 * 3600;
const TUS = { 'Tus-Resumable': '1.0.0' };

/** State of an upload, sufficient to resume it in another process. */
export type UploadState = { videoId: string; address: string };

/**
 * The headers that authorise an upload for one video. `AuthorizationSession` is present if the dashboard signed for a
 * person. The signature is then valid only during that person's session.
 */
export type UploadSignature = {
  AuthorizationSignature: string;
  AuthorizationExpire: string;
  AuthorizationSession?: string;
};

/** Encode settings of one file, which override the settings of its library: the parameters of `uploadVideo` by name. */
export type UploadSettings = Omit<Input<'uploadVideo'>, 'libraryId' | 'videoId' | 'body'>;

export type UploadOptions = {
  libraryId: number;
  title: string;
  collectionId?: string;
  /** Decides who can play the new video, `public` by default. Applies from the start of the upload. */
  visibility?: 'public' | 'unlisted' | 'private';
  settings?: UploadSettings;
  /** An existing video without a file, which keeps its title. By default, a new video is created. */
  videoId?: string;
  /**
   * A state from `onState`. The upload continues where it stopped, or starts again if the service no longer has the
   * upload. If the video was deleted and `videoId` is not set, a new video is created.
   */
  resume?: UploadState;
  /** Called once the upload exists. Save the state to resume the upload after a restart. */
  onState?: (state: UploadState) => void | Promise<void>;
  /** Bytes per request, and the maximum number of bytes that are sent again after an interruption. Default: 16 MiB. */
  partBytes?: number;
  /** Called before each retry with the reason and the pause. */
  onRetry?: (error: unknown, delayMs: number) => void;
  /** Called after each part, and during parts if the runtime reports progress (browsers). */
  onProgress?: (sentBytes: number, sizeBytes: number) => void;
  /**
   * Signs requests in environments that must not have the library's key, such as a browser. Default: requests are
   * signed with the connection's key. Called before each request. `isRefused` is true if the last signature was
   * refused, because the clock of this machine may be slow.
   */
  sign?: (videoId: string, isRefused: boolean) => Promise<UploadSignature>;
  /**
   * Behaviour if the service is unreachable. `repeat` retries. `throw` lets the caller decide when to resume the upload
   * from its state.
   */
  whenUnreachable?: 'repeat' | 'throw';
  signal?: AbortSignal;
};

type Sending = { file: Blob; connection: Connection; options: UploadOptions };

/**
 * Uploads a file with tus 1.0.0. Resolves to the id of the video. Interrupted requests are retried with growing delays,
 * at most 8 times in succession without progress. In Node, open the file with `openAsBlob` from `node:fs`, which does
 * not read the file into memory.
 */
export async function uploadFile(connection: Connection, file: Blob, options: UploadOptions): Promise<string> {
  if (file.size === 0) throw new RangeError('Expected a file with at least one byte, got an empty file.');
  const sending: Sending = { file, connection, options };
  const { resume } = options;
  const resumed = resume === undefined ? null : await repeat(options, isTemporary, () => offsetOf(sending, resume));
  const state = resumed === null ? await open(sending) : resume;
  if (state === undefined) throw new TypeError('Expected the state of the upload to resume, got undefined.');
  await sendParts(sending, state, resumed ?? 0);
  return state.videoId;
}

/**
 * Opens an upload for the caller's video, or for the video created earlier. Creates a new video if the earlier one was
 * deleted.
 */
async function open(sending: Sending): Promise<UploadState> {
  const { connection, options } = sending;
  const madeBefore = options.videoId === undefined ? options.resume?.videoId : undefined;
  if (madeBefore !== undefined) {
    try {
      return await repeat(options, isTemporary, () => openFor(sending, madeBefore));
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 404)) throw error;
    }
  }
  if (options.videoId !== undefined) return await openUntilDone(sending, options.videoId);
  const videoId = await makeVideo(connection, options);
  try {
    return await openUntilDone(sending, videoId);
  } catch (error) {
    // The service received nothing, and the video would wait for a file that nobody sends.
    const { libraryId } = options;
    if (isFinal(error)) await callOperation(connection, 'deleteVideo', { libraryId, videoId }).catch(() => undefined);
    throw error;
  }
}

function openUntilDone(sending: Sending, videoId: string): Promise<UploadState> {
  return repeat(sending.options, isTemporary, () => openFor(sending, videoId));
}

type IsRepeated = (error: unknown) => boolean;

/** Repeats an idempotent step until it succeeds, with growing delays. */
async function repeat<T>(options: UploadOptions, isRepeated: IsRepeated, run: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isRepeated(error)) throw error;
      await waitAfter(error, failures, options);
    }
  }
}

/**
 * Waits after a temporary failure. Throws the failure if the caller handles it, or after too many failures in
 * succession.
 */
async function waitAfter(error: unknown, failures: number, options: UploadOptions): Promise<void> {
  if (error instanceof UnreachableError && options.whenUnreachable === 'throw') throw error;
  if (failures > MAX_FAILURES_IN_A_ROW) throw error;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** failures, MAX_DELAY_MS);
  options.onRetry?.(error, delayMs);
  await sleep(delayMs, options.signal);
}

async function openFor(sending: Sending, videoId: string): Promise<UploadState> {
  const { file, connection, options } = sending;
  const { title, collectionId } = options;
  // Do not send the title of an existing video, so that changes by its owner are kept.
  const details = options.videoId === undefined ? { title, collection: collectionId ?? '' } : {};
  const metadata = Object.entries({ ...details, ...options.settings, filetype: file.type })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${toBase64(String(value))}`);
  const response = await sendSigned(sending, videoId, (signed) =>
    send(`${baseOf(connection)}/tusupload`, {
      method: 'POST',
      headers: { ...signed, 'Upload-Length': String(file.size), 'Upload-Metadata': metadata.join(',') },
      signal: options.signal ?? null,
    }),
  );
  const location = response.headers.get('location');
  if (location === null) throw new Error(`Expected the URL of the upload of video ${videoId}, got none.`);
  const state = { videoId, address: new URL(location, response.url).href };
  await options.onState?.(state);
  return state;
}

async function makeVideo(connection: Connection, options: UploadOptions): Promise<string> {
  const { libraryId, title, collectionId, visibility } = options;
  const body = {
    ...{ title, ...(collectionId !== undefined && { collectionId }) },
    ...(visibility !== undefined && { visibility }),
  };
  // If the response was lost, the video may already exist, and another request would create a second one.
  const isRefused = (error: unknown) => error instanceof ApiError && isTemporary(error);
  const make = () => callOperation(connection, 'createVideo', { libraryId, body });
  return (await repeat(options, isRefused, make)).guid;
}

async function sendParts(sending: Sending, state: UploadState, from: number): Promise<void> {
  const { file, options } = sending;
  let offset: number = from;
  let failures = 0;
  while (offset < file.size) {
    options.onProgress?.(offset, file.size);
    try {
      offset = await sendPart(sending, state, offset);
      failures = 0;
    } catch (error) {
      // 409: the service has a different number of bytes than expected, because a response was lost.
      if (!isTemporary(error) && !(error instanceof ApiError && error.status === 409)) throw error;
      failures += 1;
      await waitAfter(error, failures, options);
      offset = await offsetAfter(sending, state, offset);
    }
  }
  options.onProgress?.(file.size, file.size);
}

async function sendPart(sending: Sending, state: UploadState, offset: number): Promise<number> {
  const { file, options } = sending;
  const response = await sendSigned(sending, state.videoId, (signed) => {
    const request: PartRequest = {
      headers: { ...signed, 'Upload-Offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      body: file.slice(offset, offset + (options.partBytes ?? PART_BYTES)),
      signal: options.signal ?? null,
      onSent: (bytes) => options.onProgress?.(Math.min(file.size, offset + bytes), file.size),
    };
    return sendPartWithProgress(state.address, request);
  });
  const next = Number(response.headers.get('upload-offset'));
  if (!(next > offset && next <= file.size)) {
    throw new Error(`Expected an Upload-Offset above ${offset} and at most ${file.size}, got ${next}.`);
  }
  return next;
}

/**
 * Returns the offset at which to continue after a failure. If the service is still unreachable, returns the known
 * offset: the next part then fails, too, and this failure is counted.
 */
async function offsetAfter(sending: Sending, state: UploadState, known: number): Promise<number> {
  try {
    const offset = await offsetOf(sending, state);
    if (offset === null) throw new Error('The service has removed this upload. Start it again.');
    return offset;
  } catch (error) {
    if (isTemporary(error)) return known;
    throw error;
  }
}

/** Returns the number of bytes that the service has received, or null if it does not have the upload. */
async function offsetOf(sending: Sending, state: UploadState): Promise<number | null> {
  const { options, file } = sending;
  try {
    const response = await sendSigned(sending, state.videoId, (headers) =>
      send(state.address, { method: 'HEAD', headers, signal: options.signal ?? null }),
    );
    const isSameFile = Number(response.headers.get('upload-length')) === file.size;
    return isSameFile ? Number(response.headers.get('upload-offset')) : null;
  } catch (error) {
    if (error instanceof ApiError && [404, 410].includes(error.status)) return null;
    throw error;
  }
}

/** Sends a request with a signature. If the signature is refused, retries once with a new signature. */
async function sendSigned(
  sending: Sending,
  videoId: string,
  request: (signed: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  try {
    return await request(await signedHeaders(sending, videoId, false));
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status === 401;
    if (!isRefused || sending.options.sign === undefined) throw error;
    return await request(await signedHeaders(sending, videoId, true));
  }
}

async function signedHeaders(
  { connection: { key }, options: { libraryId, sign } }: Sending,
  videoId: string,
  isRefused: boolean,
): Promise<Record<string, string>> {
  const signature = await (sign?.(videoId, isRefused) ?? signUpload(libraryId, key ?? '', videoId));
  return { ...TUS, ...signature, VideoId: videoId, LibraryId: String(libraryId) };
}

/** Returns headers that allow uploading a file for this video for a day. `libraryKey` is the library's ApiKey. */
export async function signUpload(libraryId: number, libraryKey: string, videoId: string): Promise<UploadSignature> {
  const expires = String(Math.floor(Date.now() / 1000) + SIGNATURE_SEC);
  const signature = await sha256Hex(`${libraryId}${libraryKey}${expires}${videoId}`);
  return { AuthorizationSignature: signature, AuthorizationExpire: expires };
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Waits. Rejects with the signal's reason if the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', stop, { once: true });
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}
