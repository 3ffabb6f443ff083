import type { StatisticsStore } from '../../catalog/statistics/reports/statistics-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoPlayDataModel } from '../models/play-data.ts';
import { loadPlayData, type PlayDataDeps, PlayQuery } from './load-play-data.ts';
import { VideoParams } from './video-model.ts';

type Deps = PlayDataDeps & { statistics: StatisticsStore };

/** Play data with the heatmap, under the same referrer and token rules as play data. */
export const getPlayHeatmap = defineOperation({
  name: 'getPlayHeatmap',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/play/heatmap',
  description:
    "Returns the play data of a video with its heatmap. It needs no key. The library's referrer rules and embed " +
    'token apply. A private video always needs a token.',
  auth: 'none',
  permission: 'public',
  params: VideoParams,
  query: PlayQuery,
  answer: VideoPlayDataModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId }, query, referrer, address }, deps: Deps) {
    const key = { libraryId, mediaId: videoId };
    const playData = await loadPlayData(key, { query, referrer, address }, deps);
    return { ...playData, heatmap: playData.showHeatmap ? await deps.statistics.heatmap(key) : null };
  },
});
