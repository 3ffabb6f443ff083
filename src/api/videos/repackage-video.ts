import { Type } from 'typebox';
import type { Packager } from '../../catalog/drm/packager.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { guarded } from '../models/fields.ts';
import { VideoModel } from '../models/video.ts';
import { queryFlag } from '../read-query.ts';
import { type ShowingDeps, showVideo, VideoParams } from './video-model.ts';

type Deps = ShowingDeps & { packager: Packager; videoViews: VideoViewStore };

/**
 * Files are encrypted during delivery, so nothing is rewritten and the operation is complete when it returns.
 * `keepOriginalFiles`: the previous version keeps playing for a day in open players, and nothing changes if the video
 * is already packaged for the library's systems. Without it, the video gets new keys.
 */
export const repackageVideo = defineOperation({
  name: 'repackageVideo',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/repackage',
  description:
    'Packages a video of a library with Enterprise DRM for the DRM systems of the library. With ' +
    '`keepOriginalFiles=false`, it creates new content keys. Otherwise open players keep the previous version for ' +
    'a day.',
  auth: 'access-key',
  permission: 'videos.edit',
  params: VideoParams,
  query: Type.Object({ keepOriginalFiles: guarded('protects', queryFlag(true)) }),
  answer: VideoModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  errorShape: 'empty',
  async run({ params: { libraryId, videoId }, query, signal, address }, { packager, videoViews, ...deps }: Deps) {
    const key = { libraryId, mediaId: videoId };
    await packager.repackage(key, { keepsPrevious: query.keepOriginalFiles }, signal).catch(asUnavailable);
    return showVideo(await videoViews.load(key), address, deps);
  },
});

/** Rethrows a refusal of the key server as unavailable, because its operator must act and not the caller. */
function asUnavailable(error: unknown): never {
  if (!(error instanceof Refused) || error.kind !== 'unprocessable') throw error;
  throw new Refused('unavailable', error.message, { cause: error });
}
