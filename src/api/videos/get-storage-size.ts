import type { Db } from '../../catalog/db.ts';
import { loadVideoSnapshot, type StoredVideo } from '../../catalog/videos/rendition-view-store.ts';
import { wireNameOf } from '../../media/encode/codecs/all.ts';
import { defineOperation } from '../define-operation.ts';
import { ok, wireTime } from '../models/answers.ts';
import { StatusModelOfVideoStorageSizeModel, type VideoStorageSizeModel } from '../models/video-storage.ts';
import { VideoParams } from './video-model.ts';

export const getStorageSize = defineOperation({
  name: 'getStorageSize',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/storage',
  description: 'Returns the stored bytes of a video, by rendition and by kind. Deleted files are not counted.',
  auth: 'access-key',
  permission: 'videos.read',
  params: VideoParams,
  answer: StatusModelOfVideoStorageSizeModel,
  refusals: { 'not-found': 404 },
  async run({ params: { libraryId, videoId } }, { db }: { db: Db }) {
    return { ...ok(), data: sumUp(await loadVideoSnapshot(db, { libraryId, mediaId: videoId })) };
  },
});

/**
 * Counts every stored byte in exactly one of the sums. Retired objects are not counted; they are deleted within a day.
 */
function sumUp(video: StoredVideo): VideoStorageSizeModel {
  const kept = video.renditions.filter(({ isRetired }) => !isRetired);
  return {
    encoded: Object.fromEntries(
      kept
        .filter(({ isJoined }) => !isJoined)
        .map(({ id, codec, rung, storageBytes }) => [
          id,
          { codec: wireNameOf(codec), resolution: rung === null ? null : `${rung}p`, size: storageBytes },
        ]),
    ),
    thumbnails: video.thumbnailBytes + video.otherThumbnailBytes,
    previews: video.previewBytes,
    originals: video.originalBytes ?? 0,
    // Other MP4 files are assembled from the resolutions while they are sent.
    mp4Fallback: kept.reduce((sum, { isJoined, storageBytes }) => sum + (isJoined ? storageBytes : 0), 0),
    miscellaneous: video.keptSourceBytes + video.captions.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0),
    calculatedAt: wireTime(new Date()),
  };
}
