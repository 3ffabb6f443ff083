import { Type } from 'typebox';
import { readUploadOptions } from '../../catalog/uploads/upload-options.ts';
import { hasSource, receiveSource, requireUploadable } from '../../catalog/videos/video.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { processVideo } from '../../jobs/planning/process-video.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { noteRefusedUpload } from '../../jobs/uploads/note-refused-upload.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { maybe, queryText } from '../read-query.ts';
import { type FileDeps, receiveFile } from './receive-file.ts';
import { VideoParams } from './video-model.ts';

type Deps = FileDeps & { videos: VideoStore; queue: Queue };

export const uploadVideo = defineOperation({
  name: 'uploadVideo',
  method: 'PUT',
  path: '/library/{libraryId}/videos/{videoId}',
  description:
    'Uploads the file of a video as the raw body. Content type and length do not matter. A video takes one file.',
  auth: 'access-key',
  permission: 'videos.upload',
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
    requireUploadable(await deps.videos.load(key));
    const received = receiveFile(
      {
        ...{ key, body, options },
        commit: (source, closing) =>
          deps.videos.change(
            key,
            (video) => (hasSource(video, source.key) ? video : receiveSource(video, source, options)),
            closing,
            deps.queue.send(processVideo, key),
            announce(key, WebhookStatus.queued),
          ),
      },
      deps,
      signal,
    );
    await received.catch(async (error: unknown) => {
      await noteRefusedUpload(key, error, deps);
      throw error;
    });
    return ok();
  },
});
