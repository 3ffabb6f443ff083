import { Type } from 'typebox';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { readRange } from '../../lib/read-range.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage } from '../../ports/storage.ts';
import { defineOperation, type FileAnswer } from '../define-operation.ts';
import { queryInt64 } from '../read-query.ts';
import { RefusedRange } from '../refused-range.ts';
import { VideoParams } from './video-model.ts';

type Deps = { videoViews: VideoViewStore; storage: Storage };

export const getOriginal = defineOperation({
  name: 'getOriginal',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/original',
  description:
    'Downloads the uploaded file of a video, whether or not viewers may download it. Requires a key with write ' +
    'access. `Range` with one range and `If-Range` continue an interrupted download. A range past the end is refused ' +
    'with 416.',
  auth: 'access-key',
  keyScope: 'write',
  permission: 'videos.edit',
  params: VideoParams,
  query: Type.Object({ fromByte: queryInt64(0) }),
  answer: 'bytes',
  refusals: { 'not-found': 404, forbidden: 403, conflict: 409, range: 416 },
  async run({ params, query, range, signal }, { videoViews, storage }: Deps): Promise<FileAnswer> {
    const { libraryId, videoId } = params;
    const key = (await videoViews.load({ libraryId, mediaId: videoId })).source_key;
    if (key === null) throw new Refused('conflict', `Video ${videoId} has no stored original. Upload its file again.`);
    const info = await storage.head(key);
    if (info === null) throw new Error(`Expected a stored object ${key}, got none.`);
    const { sizeBytes } = info;
    const etag = info.etag.startsWith('"') ? info.etag : `"${info.etag}"`;
    const isSame = range.ifVersion === null || range.ifVersion.trim() === etag;
    const part = isSame && query.fromByte === 0 ? readRange(range.wanted ?? undefined, sizeBytes) : null;
    if (part === 'unsatisfiable') throw new RefusedRange(sizeBytes);
    const { start, end } = part ?? { start: Math.min(query.fromByte, sizeBytes), end: sizeBytes };
    const { body } = await storage.read(
      key,
      { start, end: part === null ? Number.POSITIVE_INFINITY : end - 1 },
      signal,
    );
    return { body, etag, part: part && { start, sizeBytes }, lengthBytes: end - start };
  },
});
