import { Type } from 'typebox';
import type { Db } from '../../catalog/db.ts';
import { loadVideoExtras, type VideoExtras } from '../../catalog/exports/video-extras-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoExtrasModel } from '../models/video-extras.ts';
import { guidParam, LibraryParams } from '../read-params.ts';

/** Not part of the hosted API. */
export const getVideoExtras = defineOperation({
  name: 'getVideoExtras',
  summary: 'Get the fields of a video that the hosted API does not have',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/extras',
  description:
    'Returns the chosen frame of the thumbnail, which captions were generated from speech, and views and watch time ' +
    'by day. Exports contain all of them.',
  auth: 'access-key',
  permission: 'videos.read',
  params: Type.Object({ ...LibraryParams.properties, videoId: guidParam('video') }),
  answer: VideoExtrasModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { db }: { db: Db }) {
    return toVideoExtrasModel(await loadVideoExtras(db, { libraryId, mediaId: videoId }));
  },
});

/** Converts the extras of a video to their model. */
export function toVideoExtrasModel({ thumbnailTimeMs, generated, days }: VideoExtras): VideoExtrasModel {
  const statistics = days.map(({ day, views, watchSec: watchTime }) => ({ day, views, watchTime }));
  return { thumbnailTime: thumbnailTimeMs, generatedCaptions: generated, statistics };
}
