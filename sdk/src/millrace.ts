import { type Answer, type Connection, callOperation, type Input, sendRaw } from './call.ts';
import { eachItem, type ItemOf, type PagedName } from './each-item.ts';
import type { OperationName, VideoModel } from './operations.table.ts';
import { sleep, type UploadOptions, uploadFile } from './upload.ts';

export { ApiError, ArgumentError, isTemporary, UnreachableError } from './api-error.ts';
export type * from './operations.table.ts';
export { signEmbedUrl } from './sign-embed-url.ts';
export {
  signUpload,
  type UploadOptions,
  type UploadSettings,
  type UploadSignature,
  type UploadState,
} from './upload.ts';
export { verifyWebhook } from './verify-webhook.ts';
export type { Answer, Connection, Input, OperationName, PagedName };

/** `onChange` is called with each response. `signal` ends the wait. */
type Waiting = { onChange?: (video: VideoModel) => void; signal?: AbortSignal };

/** VideoModelStatus of the API. `onDemand` is JitPlaylistsCreated: segments are encoded as viewers request them. */
const STATUS = { encoding: 3, finished: 4, failed: 5, uploadFailed: 6, onDemand: 8 };
const POLL_MS = 1000;

/** Thrown if the processing of a video ended and the video is not playable. `video` contains the messages. */
export class VideoFailedError extends Error {
  readonly video: VideoModel;

  constructor(video: VideoModel) {
    const said = (video.transcodingMessages ?? []).map(({ message }) => message).join(' ');
    super(`Video ${video.guid} failed (status ${video.status}). ${said}`.trim());
    this.name = 'VideoFailedError';
    this.video = video;
  }
}

/** Client for one service URL and one key. */
export class Millrace {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Calls an operation of `docs/openapi.json` by its operationId. */
  async call<Name extends OperationName>(
    name: Name,
    input: Input<Name> & { signal?: AbortSignal },
  ): Promise<Answer<Name>> {
    return await callOperation(this.#connection, name, input);
  }

  /**
   * Sends any request, such as a call of an operation that this version does not know. Resolves to the parsed JSON, or
   * to a Response for any other body.
   */
  async request(
    method: string,
    path: string,
    body: BodyInit | null = null,
    options: { signal?: AbortSignal } = {},
  ): Promise<unknown> {
    return await sendRaw(this.#connection, { method, path, body, ...options });
  }

  /** Iterates over all items of a paged operation. */
  pages<Name extends PagedName>(
    name: Name,
    input: Omit<Input<Name>, 'page'> & { signal?: AbortSignal },
  ): AsyncGenerator<ItemOf<Answer<Name>>, void, undefined> {
    return eachItem(this.#connection, name, input);
  }

  /** Uploads a file. After an interruption, at most one part is sent again. Resolves to the id of the video. */
  async upload(file: Blob, options: UploadOptions): Promise<string> {
    return await uploadFile(this.#connection, file, options);
  }

  /**
   * Resolves as soon as a player can start the video, before all renditions are ready. Rejects with `VideoFailedError`
   * if it cannot become playable, and with the signal's reason. Use `AbortSignal.timeout` for a time limit.
   */
  waitUntilPlayable(ids: { libraryId: number; videoId: string }, waiting: Waiting = {}): Promise<VideoModel> {
    return this.#waitUntil(isPlayable, ids, waiting);
  }

  /** Like `waitUntilPlayable`, but resolves when all renditions are ready, or can be encoded on demand. */
  waitUntilFinished(ids: { libraryId: number; videoId: string }, waiting: Waiting = {}): Promise<VideoModel> {
    return this.#waitUntil(isFinished, ids, waiting);
  }

  async #waitUntil(
    isReady: (video: VideoModel) => boolean,
    { libraryId, videoId }: { libraryId: number; videoId: string },
    { onChange, signal }: Waiting,
  ): Promise<VideoModel> {
    for (;;) {
      const video = await this.call('getVideo', { libraryId, videoId, ...(signal && { signal }) });
      onChange?.(video);
      if (isReady(video)) return video;
      if ([STATUS.failed, STATUS.uploadFailed].includes(video.status)) throw new VideoFailedError(video);
      await sleep(POLL_MS, signal);
    }
  }
}

function isFinished({ status }: VideoModel): boolean {
  return status === STATUS.finished || status === STATUS.onDemand;
}

function isPlayable(video: VideoModel): boolean {
  return isFinished(video) || (video.status === STATUS.encoding && Boolean(video.availableResolutions));
}
