import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoModel } from '../models/video.ts';
import { type ShowingDeps, showVideo, VideoParams } from './video-model.ts';

type Deps = ShowingDeps & { videoViews: VideoViewStore };

export const getVideo = defineOperation({
  name: 'getVideo',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}',
  description: 'Returns a video with its state, its progress, its technical data and its texts.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  answer: VideoModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId }, address }, { videoViews, ...deps }: Deps) {
    const view = await videoViews.load({ libraryId, mediaId: videoId });
    return showVideo(view, address, deps);
  },
});
