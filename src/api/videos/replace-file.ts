import { openForOtherFile } from '../../catalog/videos/video.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { VideoParams } from './video-model.ts';

/**
 * Not part of the hosted API: for a day, a finished video accepts one more upload by any method (PUT, tus, fetch). The
 * new file replaces the old one when it is completely encoded.
 */
export const replaceFile = defineOperation({
  name: 'replaceFile',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/replace',
  description:
    'Allows one more upload to a finished video within 24 hours. The new file replaces the old one when it is ' +
    'encoded.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { videos }: { videos: VideoStore }) {
    await videos.change({ libraryId, mediaId: videoId }, openForOtherFile);
    return ok();
  },
});
