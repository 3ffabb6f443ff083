import { Type } from 'typebox';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoPlayDataModel } from '../models/play-data.ts';
import { queryInt64, queryText } from '../read-query.ts';
import { requireEmbedToken } from '../require-embed-token.ts';
import { requireReferrer } from '../require-referrer.ts';
import { toPlayDataModel } from './play-data-model.ts';
import { recallShowing, VideoParams } from './video-model.ts';

type Deps = {
  videoViews: VideoViewStore;
  libraries: LibraryStore;
  pullZones: PullZoneStore;
  edgeUrl: string;
  ownHosts: readonly string[];
};

export const getPlayData = defineOperation({
  name: 'getPlayData',
  method: 'GET',
  path: '/library/{libraryId}/videos/{videoId}/play',
  auth: 'none',
  params: VideoParams,
  query: Type.Object({ token: queryText(), expires: queryInt64(0) }),
  body: null,
  answer: VideoPlayDataModel,
  refusals: { 'not-found': 404 },
  errorShape: 'status',
  async run({ params: { libraryId, videoId }, query, referrer }, deps: Deps) {
    const showing = await recallShowing(libraryId, deps);
    requireReferrer(referrer, showing.library, deps.ownHosts);
    const shown = { token: query.token, expiresSec: query.expires };
    await requireEmbedToken(shown, { mediaId: videoId, library: showing.library }, deps);
    const key = { libraryId, mediaId: videoId };
    const [view, hasPlaylist] = await Promise.all([deps.videoViews.load(key), deps.videoViews.hasPlaylist(key)]);
    return toPlayDataModel(view, hasPlaylist, showing);
  },
});
