import type { Db } from '../../catalog/db.ts';
import { describeOutlook } from '../../catalog/videos/outlook.ts';
import { loadOutlook } from '../../catalog/videos/outlook-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { wireTime } from '../models/answers.ts';
import { VideoQueueModel } from '../models/video-queue.ts';
import { wireStatus } from '../models/video-status.ts';
import { VideoParams } from './video-model.ts';

type Deps = { db: Db; videoViews: VideoViewStore };

/** Maximum estimate that is reported, in seconds. Longer estimates are reported as unknown. */
const MAX_DURATION_SEC = 30 * 24 * 3600;

export const getQueuePlace = defineOperation({
  name: 'getQueuePlace',
  summary: 'Get queue position',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/queue',
  description: 'Returns why a video waits, its queue position, and the estimated time in seconds.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  answer: VideoQueueModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { db, videoViews }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const [view, outlook] = await Promise.all([videoViews.load(key), loadOutlook(db, key)]);
    const { waitsFor, otherLibraries, etaSec, message } = describeOutlook(outlook);
    const etaSeconds = etaSec === null || etaSec > MAX_DURATION_SEC ? null : etaSec;
    return {
      videoLibraryId: libraryId,
      guid: videoId,
      status: wireStatus({ state: view.state, wasPlanned: view.was_planned }),
      encodeProgress: view.state === 'finished' ? 100 : view.encode_progress,
      waitsFor,
      otherLibraries,
      etaSeconds,
      estimatedFinish: etaSeconds === null ? null : wireTime(new Date(Date.now() + etaSeconds * 1000)),
      message,
    };
  },
});
