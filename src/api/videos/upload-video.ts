import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from 'typebox';
import { CommitInDoubt } from '../../catalog/in-transaction.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import { readUploadOptions } from '../../catalog/uploads/upload-options.ts';
import type { UploadStore } from '../../catalog/uploads/upload-store.ts';
import { hasSource, receiveSource, requireUploadable } from '../../catalog/videos/video.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { processVideo } from '../../jobs/planning/process-video.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { requireSpace, type SpaceDeps } from '../../jobs/uploads/require-space.ts';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { maybe, queryText } from '../read-query.ts';
import { emptyBody, receiveBytes } from './receive-bytes.ts';
import { VideoParams } from './video-model.ts';

/** Time for which a commit is retried while the database is down, once all bytes are stored, in ms. */
const AWAY_MS = 30_000;
const ASK_AGAIN_MS = 500;

type Deps = SpaceDeps & { videos: VideoStore; uploads: UploadStore; storage: Storage; queue: Queue };

export const uploadVideo = defineOperation({
  name: 'uploadVideo',
  method: 'PUT',
  path: '/library/{libraryId}/videos/{videoId}',
  description: 'Uploads the file of a video as the raw body, of any content type and length. A video takes one file.',
  auth: 'access-key',
  params: VideoParams,
  query: Type.Object({
    jitEnabled: maybe.flag(),
    enabledResolutions: queryText(),
    enabledOutputCodecs: queryText(),
    transcribeEnabled: maybe.flag(),
    transcribeLanguages: maybe.text(),
    sourceLanguage: maybe.text(),
    generateTitle: maybe.flag(),
    generateDescription: maybe.flag(),
    generateChapters: maybe.flag(),
    generateMoments: maybe.flag(),
  }),
  body: 'raw',
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, query, body, signal }, deps: Deps) {
    const key = { libraryId, mediaId: videoId };
    const options = readUploadOptions(query);
    const lengthBytes = announcedBytes(body);
    requireUploadable(await deps.videos.load(key));
    if (lengthBytes === 0) throw emptyBody();
    await requireSpace(lengthBytes ?? 0, deps);
    const uploadId = await deps.uploads.openPut(key, { lengthBytes, options });
    const objectKey = sourceKeyOf(key, uploadId);
    const written = await receiveBytes({ body, objectKey, lengthBytes, uploadId }, deps, signal).catch((error) =>
      forget(uploadId, { objectKey, because: error }, deps),
    );
    const source = { key: objectKey, ...written };
    const give = () =>
      deps.videos.change(
        key,
        (video) => (hasSource(video, objectKey) ? video : receiveSource(video, source, options)),
        deps.uploads.closing(uploadId),
        deps.queue.send(processVideo, key),
        announce(key, WebhookStatus.queued),
      );
    await outlast(give, signal).catch((error) => {
      // After any other error the commit may have succeeded. The upload session's lease expires and the sweep decides.
      if (!(error instanceof Refused)) throw error;
      return forget(uploadId, { objectKey, because: error }, deps);
    });
    return ok();
  },
});

/** Repeats an idempotent action while the database is down or its response may be lost. */
async function outlast(action: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + AWAY_MS;
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      const mayPass = error instanceof CommitInDoubt || isDatabaseAway(error);
      if (!mayPass || performance.now() > deadline) throw error;
      await sleep(ASK_AGAIN_MS, undefined, { signal });
    }
  }
}

function announcedBytes({ headers }: IncomingMessage): number | null {
  const text = headers['content-length'];
  if (text !== undefined) return Number(text);
  return headers['transfer-encoding'] === undefined ? 0 : null;
}

/** Removes the leftovers of an upload, then rethrows. If that fails, the sweep of open upload sessions removes them. */
async function forget(
  uploadId: Guid,
  { objectKey, because }: { objectKey: StorageKey; because: unknown },
  { uploads, storage }: Deps,
): Promise<never> {
  await Promise.allSettled([storage.delete([objectKey]).then(() => uploads.close(uploadId))]);
  throw because;
}
