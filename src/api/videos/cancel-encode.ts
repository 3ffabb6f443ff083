import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { cancelEncode as cancel } from '../../catalog/lifecycle/cancel-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoModel } from '../models/video.ts';
import { type ShowingDeps, showVideo, VideoParams } from './video-model.ts';

type Deps = ShowingDeps & { db: Db; videoViews: VideoViewStore };

/** Not part of the hosted API. */
export const cancelEncode = defineOperation({
  name: 'cancelEncode',
  method: 'DELETE',
  path: '/library/{libraryId}/videos/{videoId}/encode',
  description:
    'Cancels the waiting or running encode of a video. Encoders stop within seconds. A video that was being ' +
    're-encoded keeps its previous version. A video with one complete resolution and its audio is finished without ' +
    'the others. Any other video fails with the value `cancelled`. Re-encode or retry encodes the cancelled ' +
    'renditions. Videos without a file of their own, such as clips or the resolutions of a recording, cannot be ' +
    'cancelled.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  answer: VideoModel,
  refusals: { invalid: 400, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, address }, { db, videoViews, ...deps }: Deps) {
    const key = { libraryId, mediaId: videoId };
    await inTransaction(db, (tx) => cancel(tx, key));
    return showVideo(await videoViews.load(key), address, deps);
  },
});
