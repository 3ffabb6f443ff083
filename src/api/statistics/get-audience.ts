import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { AudienceStore } from '../../catalog/statistics/reports/audience-store.ts';
import type { StatisticsStore } from '../../catalog/statistics/reports/statistics-store.ts';
import { rangeOf } from '../../catalog/statistics/sums/statistics-range.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { AudienceModel } from '../models/audience.ts';
import { LibraryParams } from '../read-params.ts';
import { queryFlag, queryText, requireOrder } from '../read-query.ts';
import { toAudienceModel } from './audience-model.ts';
import { findMeasured } from './find-measured.ts';
import { writeAudience } from './write-audience.ts';

type Deps = { audiences: AudienceStore; videoViews: VideoViewStore };

const COMMON = {
  method: 'GET',
  auth: 'access-key',
  permission: 'statistics.read',
  params: LibraryParams,
  query: Type.Object({
    dateFrom: queryText(),
    dateTo: queryText(),
    hourly: queryFlag(false),
    videoGuid: queryText(),
  }),
  refusals: { 'not-found': 404, invalid: 400 },
} as const;

/** Statistics for which the hosted API has no field. Takes the same query as `getStatistics`. */
export const getAudience = defineOperation({
  ...COMMON,
  name: 'getAudience',
  path: '/library/{libraryId}/statistics/audience',
  description:
    'Returns who watched a library or one of its videos and how playback went: unique viewers, devices, referrers, ' +
    'startup time, rebuffering, retention, current viewers, estimates for other players, and bytes sent.',
  answer: AudienceModel,
  async run({ params: { libraryId }, query }, { audiences, videoViews }: Deps) {
    requireOrder(query, 'dateFrom', 'dateTo');
    const mediaId = await findMeasured(libraryId, query.videoGuid, videoViews);
    const audience = await audiences.load({ libraryId, mediaId }, rangeOf(query, Date.now()));
    return toAudienceModel(audience);
  },
});

export const exportAudience = defineOperation({
  ...COMMON,
  name: 'exportAudience',
  path: '/library/{libraryId}/statistics/export',
  description:
    'Exports the statistics and the audience of a library or of one of its videos as CSV, one value per line.',
  answer: 'csv',
  fileName: 'statistics.csv',
  async run(
    { params: { libraryId }, query },
    { audiences, statistics, videoViews, libraries }: Deps & { statistics: StatisticsStore; libraries: LibraryStore },
  ) {
    requireOrder(query, 'dateFrom', 'dateTo');
    const mediaId = await findMeasured(libraryId, query.videoGuid, videoViews);
    const range = rangeOf(query, Date.now());
    const showsHeat = (await libraries.recall(libraryId))?.settings.player.showHeatmap === true;
    const [counted, audience, heat] = await Promise.all([
      statistics.load({ libraryId, mediaId }, range),
      audiences.load({ libraryId, mediaId }, range),
      mediaId === null || !showsHeat ? null : statistics.heatCurve({ libraryId, mediaId }),
    ]);
    return Readable.from(writeAudience({ statistics: counted, audience, heat }));
  },
});
