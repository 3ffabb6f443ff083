import { Type } from 'typebox';
import type { StatisticsStore } from '../../catalog/statistics/reports/statistics-store.ts';
import { rangeOf } from '../../catalog/statistics/sums/statistics-range.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoStatisticsModel } from '../models/play-data.ts';
import { LibraryParams } from '../read-params.ts';
import { queryFlag, queryText, requireOrder } from '../read-query.ts';
import { findMeasured } from './find-measured.ts';

type Deps = { statistics: StatisticsStore; videoViews: VideoViewStore };

/** Views and watch time, as in the hosted API. */
export const getStatistics = defineOperation({
  name: 'getStatistics',
  method: 'GET',
  path: '/library/{libraryId}/statistics',
  description:
    'Returns views and watch time of a library or of one video, by UTC day or hour and by country. Without ' +
    '`dateFrom`, it covers the last 30 days.',
  auth: 'access-key',
  permission: 'statistics.read',
  params: LibraryParams,
  query: Type.Object({
    dateFrom: queryText(),
    dateTo: queryText(),
    hourly: queryFlag(false),
    videoGuid: queryText(),
  }),
  answer: VideoStatisticsModel,
  refusals: { 'not-found': 404, invalid: 400 },
  async run({ params: { libraryId }, query }, { statistics, videoViews }: Deps) {
    requireOrder(query, 'dateFrom', 'dateTo');
    const mediaId = await findMeasured(libraryId, query.videoGuid, videoViews);
    return await statistics.load({ libraryId, mediaId }, rangeOf(query, Date.now()));
  },
});
