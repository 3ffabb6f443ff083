import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { deleteMedia } from '../../jobs/housekeeping/delete-media.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { NoQuery } from '../read-query.ts';
import { VideoParams } from './video-model.ts';

type Deps = { videos: VideoStore; queue: Queue };

export const deleteVideo = defineOperation({
  name: 'deleteVideo',
  method: 'DELETE',
  path: '/library/{libraryId}/videos/{videoId}',
  description: 'Deletes a video with all that is stored of it. It cannot be undone.',
  auth: 'access-key',
  params: VideoParams,
  query: NoQuery,
  body: null,
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  errorShape: 'status',
  async run({ params: { libraryId, videoId } }, { videos, queue }: Deps) {
    const key = { libraryId, mediaId: videoId };
    await videos.remove(key, queue.send(deleteMedia, { ...key, prefix: `${libraryId}/${videoId}/` }));
    return ok();
  },
});
