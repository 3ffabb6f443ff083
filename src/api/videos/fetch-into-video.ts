import { beginUpload, requireUploadable } from '../../catalog/videos/video.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import { newGuid } from '../../lib/guid.ts';
import { defineOperation } from '../define-operation.ts';
import { ok } from '../models/answers.ts';
import { StatusModel } from '../models/status.ts';
import { FetchVideoRequest } from '../models/video.ts';
import { type AskFetchDeps, fetching, readOrigin, requireFetchable } from './ask-fetch.ts';
import { VideoParams } from './video-model.ts';

type Deps = AskFetchDeps & { videos: VideoStore };

/** Fetches a file into a video that has none yet. This is an older operation that some clients still use. */
export const fetchIntoVideo = defineOperation({
  name: 'fetchIntoVideo',
  summary: 'Fetch the file of a video',
  method: 'POST',
  path: '/library/{libraryId}/videos/{videoId}/fetch',
  description: 'Fetches the file of a video that has none yet from a URL.',
  auth: 'access-key',
  permission: 'videos.upload',
  params: VideoParams,
  body: FetchVideoRequest,
  answer: StatusModel,
  refusals: { invalid: 400, forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, videoId }, body, signal }, { videos, ...deps }: Deps) {
    const key = { libraryId, mediaId: videoId };
    const origin = readOrigin(body);
    requireUploadable(await videos.load(key));
    const file = { ...origin, sizeBytes: await requireFetchable(libraryId, origin, deps, signal) };
    const edit = {
      ...(body.title && { title: body.title }),
      ...(body.visibility != null && { visibility: body.visibility }),
    };
    await videos.change(key, (video) => beginUpload(video, edit), fetching({ id: newGuid(), key }, file, deps));
    return ok();
  },
});
