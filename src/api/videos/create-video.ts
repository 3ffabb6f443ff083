import type { VideoStore } from '../../catalog/videos/video-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { CreateVideoModel, VideoModel } from '../models/video.ts';
import { LibraryParams } from '../read-params.ts';
import { readCollection } from './read-collection.ts';
import { type ShowingDeps, showVideo } from './video-model.ts';

type Deps = ShowingDeps & { videos: VideoStore; videoViews: VideoViewStore };

export const createVideo = defineOperation({
  name: 'createVideo',
  method: 'POST',
  path: '/library/{libraryId}/videos',
  description: 'Creates a video without a file. Then upload the file by PUT, tus or fetch.',
  auth: 'access-key',
  permission: 'videos.upload',
  params: LibraryParams,
  body: CreateVideoModel,
  answer: VideoModel,
  refusals: { invalid: 400, forbidden: 403 },
  async run({ params: { libraryId }, body, address }, { videos, videoViews, ...deps }: Deps) {
    const key = await videos.create({
      libraryId,
      title: body.title,
      collectionId: readCollection(body.collectionId),
      thumbnailTimeMs: body.thumbnailTime ?? null,
      visibility: body.visibility ?? null,
    });
    return showVideo(await videoViews.load(key), address, deps);
  },
});
