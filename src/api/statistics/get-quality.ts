import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { type GroupQuality, loadQuality, type Quality } from '../../catalog/statistics/reports/quality-store.ts';
import { rangeOf } from '../../catalog/statistics/sums/statistics-range.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { QualityModel } from '../models/audience.ts';
import { LibraryParams } from '../read-params.ts';
import { queryText, requireOrder } from '../read-query.ts';
import { findMeasured } from './find-measured.ts';

/** Not part of the hosted API. Takes the same query as `getStatistics`. */
export const getQuality = defineOperation({
  name: 'getQuality',
  method: 'GET',
  path: '/library/{libraryId}/statistics/quality',
  description:
    'Returns startup time, rebuffering and failures by country, device, resolution and video, for a library or one ' +
    'video. It examines the newest 50,000 views of the period, and at most the days for which visits are kept.',
  auth: 'access-key',
  permission: 'statistics.read',
  params: LibraryParams,
  query: Type.Object({ dateFrom: queryText(), dateTo: queryText(), videoGuid: queryText() }),
  answer: QualityModel,
  refusals: { 'not-found': 404, invalid: 400 },
  async run({ params: { libraryId }, query }, { db, videoViews }: { db: Db; videoViews: VideoViewStore }) {
    requireOrder(query, 'dateFrom', 'dateTo');
    const mediaId = await findMeasured(libraryId, query.videoGuid, videoViews);
    const range = rangeOf({ ...query, hourly: false }, Date.now());
    return toModel(await loadQuality(db, { libraryId, mediaId }, range));
  },
});

function toModel({ views, isLimited, countries, devices, renditions, videos }: Quality): QualityModel {
  return {
    views,
    isLimited,
    countries: countries.map((one) => ({ name: one.name, ...toGroup(one) })),
    devices: devices.map((one) => ({ name: one.name, ...toGroup(one) })),
    renditions: renditions.map((one) => ({ height: one.heightPx, ...toGroup(one) })),
    videos: videos.map((one) => ({ guid: one.mediaId, title: one.title, ...toGroup(one) })),
  };
}

function toGroup(group: GroupQuality) {
  const { views, watchSec, startupP50Ms, startupP95Ms, stalledViews, stallMs, failedViews } = group;
  return {
    views,
    watchTime: watchSec,
    startupP50Ms,
    startupP95Ms,
    rebufferingViews: stalledViews,
    rebufferingSeconds: Math.round(stallMs / 1000),
    failedViews,
  };
}
