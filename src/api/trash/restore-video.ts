import type { TrashStore } from '../../catalog/videos/trash-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { TrashParams } from './trash-params.ts';

/** Not part of the hosted API. */
export const restoreVideo = defineOperation({
  name: 'restoreVideo',
  method: 'POST',
  path: '/library/{libraryId}/trash/{videoId}/restore',
  description:
    'Restores a video from the trash unchanged. It returns to its collection if the collection still exists.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: TrashParams,
  answer: StatusModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { trash }: { trash: TrashStore }) {
    await trash.restore({ libraryId, mediaId: videoId });
    return ok();
  },
});
