import { Type } from 'typebox';
import type { RetryStore } from '../../catalog/lifecycle/retry-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { planRetry } from '../../jobs/planning/plan-retry.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoModel } from '../models/video.ts';
import { queryText } from '../read-query.ts';
import { readRung } from './read-rung.ts';
import { type ShowingDeps, showVideo, VideoParams } from './video-model.ts';

type Deps = ShowingDeps & { retries: RetryStore; videoViews: VideoViewStore };

/** Not part of the hosted API: encodes only the failed renditions of a video again. */
export const retryResolutions = defineOperation({
  name: 'retryResolutions',
  summary: 'Retry the failed renditions of a video',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/resolutions/retry',
  description: 'Encodes the failed renditions of a finished video again.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  query: Type.Object({ resolution: queryText() }),
  answer: VideoModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, query: { resolution }, address }, deps: Deps) {
    const { retries, videoViews } = deps;
    const key = { libraryId, mediaId: videoId };
    await videoViews.load(key);
    const rung = resolution === '' ? null : readRung(resolution.trim().toLowerCase(), 'resolution');
    await retries.retry(key, rung, planRetry);
    return showVideo(await videoViews.load(key), address, deps);
  },
});
