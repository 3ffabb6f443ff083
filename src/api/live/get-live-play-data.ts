import { Type } from 'typebox';
import { describeToken, type EmbedToken } from '../../catalog/libraries/embed-token.ts';
import type { Library } from '../../catalog/libraries/library.ts';
import type { LibraryStore } from '../../catalog/libraries/library-store.ts';
import { requiresEmbedToken } from '../../catalog/libraries/viewer-access.ts';
import type { LiveStore } from '../../catalog/live/streams/live-store.ts';
import type { LiveView } from '../../catalog/live/streams/live-view-store.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import { Refused } from '../../lib/refused.ts';
import { locationForViewer } from '../addresses.ts';
import { defineOperation } from '../define-operation.ts';
import { LiveStreamPlayDataModel } from '../models/play-data.ts';
import { DRM_VERSION, playerLook } from '../player-look.ts';
import { queryInt64, queryText } from '../read-query.ts';
import { requireEmbedToken, showsEmbedToken } from '../require-embed-token.ts';
import { requireReferrer } from '../require-referrer.ts';
import {
  LiveParams,
  type LiveShowing,
  type LiveShowingDeps,
  recallLiveShowing,
  streamFolderUrl,
  toLiveModel,
} from './live-model.ts';

type Deps = LiveShowingDeps & {
  live: LiveStore;
  libraries: LibraryStore;
  pullZones: PullZoneStore;
  ownHosts: readonly string[];
};

/** Data about a stream for its player: never a key, an ingest URL or a relay. */
export const getLivePlayData = defineOperation({
  name: 'getLivePlayData',
  method: 'GET',
  path: '/library/{libraryId}/live/{streamId}/play',
  description:
    'Returns the data that a player needs to show a live stream. It never contains the stream key, an ingest URL ' +
    'or a relay.',
  auth: 'none',
  permission: 'public',
  params: LiveParams,
  query: Type.Object({ token: queryText(), expires: queryInt64(0) }),
  answer: LiveStreamPlayDataModel,
  refusals: { forbidden: 403, 'not-found': 404 },
  async run({ params: { libraryId, streamId }, query, referrer, address }, deps: Deps) {
    const key = { libraryId, mediaId: streamId };
    const showing = await recallLiveShowing(libraryId, address, deps);
    requireReferrer(referrer, showing.library, deps.ownHosts);
    const shown = { token: query.token, expiresSec: query.expires };
    const view = await deps.live.load(key);
    await requireEmbedToken(shown, { mediaId: streamId, library: showing.library }, deps);
    await requireAudience(view, { shown, library: showing.library }, deps);
    return toLivePlayData(view, locationForViewer(showing, shown));
  },
});

/** Throws `Refused` if the stream or its recording is private and the request has no valid token. */
async function requireAudience(
  { stream, visibility }: LiveView,
  { shown, library }: { shown: EmbedToken; library: Library },
  deps: Deps,
): Promise<void> {
  if (visibility !== 'private' || (await showsEmbedToken(shown, { mediaId: stream.id, library }, deps))) return;
  throw new Refused(
    'forbidden',
    `This stream is not public: expected token and expires in the query, got ${describeToken(shown, Date.now())}. ` +
      'Sign SHA256(key + stream id + expires) again.',
  );
}

function toLivePlayData(view: LiveView, showing: LiveShowing) {
  const { library } = showing;
  const { settings } = library;
  const { exposeVideoMetadata: _, customCss: __, ...look } = playerLook(library);
  const folder = streamFolderUrl(view, showing);
  const address = (file: string) => `${folder}${file}`;
  return {
    liveStream: toLiveModel(view, showing, 'viewer'),
    libraryName: library.name,
    captionsPath: address('captions/'),
    seekPath: address('seek'),
    thumbnailUrl: address(view.thumbnailFileName ?? 'thumbnail.jpg'),
    fallbackUrl: null,
    videoPlaylistUrl: address('playlist.m3u8'),
    originalUrl: null,
    previewUrl: null,
    ...look,
    enableDRM: settings.drm.enabled,
    drmVersion: DRM_VERSION[settings.drm.version],
    widevineMinClientSecurityLevel: settings.drm.widevine.minClientSecurityLevel,
    allowEarlyPlay: false,
    tokenAuthEnabled: requiresEmbedToken(settings) || view.visibility === 'private',
    enableMP4Fallback: settings.mp4.enabled && !settings.drm.enabled,
    zoneTier: 0,
  };
}
