import { defineOperation } from '../define-operation.ts';
import { VideoPlayDataModel } from '../models/play-data.ts';
import { loadPlayData, type PlayDataDeps, PlayQuery } from './load-play-data.ts';
import { VideoParams } from './video-model.ts';

export const getPlayData = defineOperation({
  name: 'getPlayData',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/play',
  description:
    "Returns the data that a player needs to show a video. It needs no key. The library's referrer rules and embed " +
    'token apply. A private video always needs a token.',
  auth: 'none',
  permission: 'public',
  params: VideoParams,
  query: PlayQuery,
  answer: VideoPlayDataModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId }, query, referrer, address }, deps: PlayDataDeps) {
    return await loadPlayData({ libraryId, mediaId: videoId }, { query, referrer, address }, deps);
  },
});
