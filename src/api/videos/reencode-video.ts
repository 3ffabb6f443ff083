import { requestReencode } from '../../catalog/videos/video.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { processVideo } from '../../jobs/planning/process-video.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoModel } from '../models/video.ts';
import { type ShowingDeps, showVideo, VideoParams } from './video-model.ts';

type Deps = ShowingDeps & { videos: VideoStore; videoViews: VideoViewStore; queue: Queue };

export const reencodeVideo = defineOperation({
  name: 'reencodeVideo',
  summary: 'Re-encode a video',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/reencode',
  description:
    'Encodes a video again from its original, with the current settings of the library and the options of its ' +
    'upload. It keeps the codecs of the video. The current version plays until the new one is complete.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  answer: VideoModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'empty',
  async run({ params: { libraryId, videoId }, address }, { videos, videoViews, queue, ...deps }: Deps) {
    const key = { libraryId, mediaId: videoId };
    await videos.change(key, requestReencode, queue.send(processVideo, key), announce(key, WebhookStatus.queued));
    return showVideo(await videoViews.load(key), address, deps);
  },
});
