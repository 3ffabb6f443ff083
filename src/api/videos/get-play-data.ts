import { Type } from 'typebox';
import { type EmbedToken, isEmbedTokenValid } from '../../catalog/libraries/embed-token.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { isReferrerAllowed } from '../../catalog/libraries/referrer.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { Refused } from '../../lib/refused.ts';
import { defineOperation } from '../define-operation.ts';
import { VideoPlayDataModel } from '../models/play-data.ts';
import { queryInt64, queryText } from '../read-query.ts';
import { toPlayDataModel } from './play-data-model.ts';
import { recallShowing, VideoParams } from './video-model.ts';

type Deps = { videoViews: VideoViewStore; libraries: LibraryStore; pullZones: PullZoneStore; edgeUrl: string };

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
    const { access } = showing.library.settings;
    if (!isReferrerAllowed(referrer, access, [new URL(deps.edgeUrl).hostname])) {
      throw new Refused('unauthenticated', 'Videos of this library may not be shown on the page that asked.');
    }
    if (access.playerTokenRequired) {
      await requireToken({ token: query.token, expiresSec: query.expires }, { mediaId: videoId, ...showing }, deps);
    }
    const key = { libraryId, mediaId: videoId };
    const [view, hasPlaylist] = await Promise.all([deps.videoViews.load(key), deps.videoViews.hasPlaylist(key)]);
    return toPlayDataModel(view, hasPlaylist, showing);
  },
});

async function requireToken(
  shown: EmbedToken,
  { mediaId, library }: { mediaId: string; library: Library },
  { pullZones, libraries }: Deps,
): Promise<void> {
  const [zoneKey, { libraryKey }] = await Promise.all([
    pullZones.securityKey(library.pullZone.id),
    libraries.keys(library.id),
  ]);
  if (isEmbedTokenValid(shown, { mediaId, keys: [zoneKey, libraryKey] }, Date.now())) return;
  throw new Refused('unauthenticated', 'Expected a token that is valid for this video and has not expired.');
}
