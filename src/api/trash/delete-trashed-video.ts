import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import type { TrashStore } from '../../catalog/videos/trash-store.ts';
import { deleteMedia } from '../../jobs/housekeeping/delete-media.ts';
import type { Queue } from '../../jobs/queue/define-job.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { TrashParams } from './trash-params.ts';

/** Not part of the hosted API. */
export const deleteTrashedVideo = defineOperation({
  name: 'deleteTrashedVideo',
  method: 'DELETE',
  path: '/library/{libraryId}/trash/{videoId}',
  description: 'Deletes a video in the trash permanently, with all of its objects.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: TrashParams,
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { trash, queue }: { trash: TrashStore; queue: Queue }) {
    const key = { libraryId, mediaId: videoId };
    await trash.remove(key, queue.send(deleteMedia, { ...key, prefix: mediaPrefix(key) }));
    return ok();
  },
});
