import { Type } from 'typebox';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { defineOperation } from '../define-operation.ts';
import { guidParam, LibraryParams } from '../read-params.ts';
import type { ProgressHub } from './progress-hub.ts';

type Deps = { videos: VideoStore; progressHub: ProgressHub };

export const followVideo = defineOperation({
  name: 'followVideo',
  summary: 'Follow the progress of a video',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/progress',
  description: 'Streams the state and progress of a video as server-sent events.',
  auth: 'access-key',
  permission: 'videos.read',
  params: Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') }),
  answer: 'events',
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { videos, progressHub }: Deps) {
    await videos.load({ libraryId, mediaId: videoId });
    return progressHub.open({ libraryId, mediaId: videoId });
  },
});
