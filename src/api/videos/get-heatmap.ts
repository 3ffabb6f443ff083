import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { StatisticsStore } from '../../catalog/statistics/reports/statistics-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoHeatmapModel } from '../models/play-data.ts';
import { recallLibrary, VideoParams } from './video-model.ts';

type Deps = { statistics: StatisticsStore; videoViews: VideoViewStore; libraries: LibraryStore; edgeUrl: string };

/** The heatmap of a video: null if its library hides heatmaps, or below five sessions. */
export const getHeatmap = defineOperation({
  name: 'getHeatmap',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/heatmap',
  description: 'Returns how often each part of a video was watched, from 0 to 100.',
  auth: 'access-key',
  permission: 'statistics.read',
  params: VideoParams,
  answer: VideoHeatmapModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { statistics, videoViews, ...deps }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const [library] = await Promise.all([recallLibrary(libraryId, deps), videoViews.load(key)]);
    return { heatmap: library.settings.player.showHeatmap ? await statistics.heatmap(key) : null };
  },
});
