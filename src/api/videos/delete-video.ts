import { Type } from 'typebox';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import type { TrashStore } from '../../catalog/videos/trash-store.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { deleteMedia } from '../../jobs/housekeeping/delete-media.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { guarded } from '../models/fields.ts';
import { StatusModel } from '../models/status.ts';
import { queryFlag } from '../read-query.ts';
import { VideoParams } from './video-model.ts';

type Deps = { videos: VideoStore; trash: TrashStore; queue: Queue };

export const deleteVideo = defineOperation({
  name: 'deleteVideo',
  method: 'DELETE',
  path: '/library/{libraryId}/videos/{videoId}',
  description:
    'Deletes a video and all of its objects permanently. With `trash=true`, it moves the video to the trash, where ' +
    'it stays for a week.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  // `trash` is not part of the hosted API.
  query: Type.Object({ trash: guarded('protects', queryFlag(false)) }),
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, query }, { videos, trash, queue }: Deps) {
    const key = { libraryId, mediaId: videoId };
    if (query.trash) await trash.put(key);
    else await videos.remove(key, queue.send(deleteMedia, { ...key, prefix: mediaPrefix(key) }));
    return ok();
  },
});
