import { Type } from 'typebox';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation } from '../define-operation.ts';
import { queryInt64 } from '../read-query.ts';
import { VideoParams } from './video-model.ts';

type Deps = { videoViews: VideoViewStore; storage: Storage };

export const getOriginal = defineOperation({
  name: 'getOriginal',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/original',
  description:
    'Downloads the uploaded file of a video, whether or not viewers may download it. Requires a key with write access.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'videos.edit',
  params: VideoParams,
  query: Type.Object({ fromByte: queryInt64(0) }),
  answer: 'bytes',
  refusals: { 'not-found': 404, forbidden: 403, conflict: 409 },
  async run({ params, query, signal }, { videoViews, storage }: Deps) {
    const { libraryId, videoId } = params;
    const key = (await videoViews.load({ libraryId, mediaId: videoId })).source_key;
    if (key === null) throw new Refused('conflict', `Video ${videoId} has no stored original. Upload its file again.`);
    const { body } = await storage.read(key, { start: query.fromByte, end: Number.POSITIVE_INFINITY }, signal);
    return body;
  },
});
