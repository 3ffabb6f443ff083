import { type Static, Type } from 'typebox';
import type { MediaKey } from '../../catalog/db.ts';
import type { PullZoneStore } from '../../catalog/pull-zones/pull-zone-store.ts';
import type { VideoView } from '../../catalog/videos/video-view.ts';
import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { locationForViewer } from '../addresses.ts';
import type { VideoPlayDataModel } from '../models/play-data.ts';
import { queryInt64, queryText } from '../read-query.ts';
import { requireEmbedToken, requireTokenIfPrivate } from '../require-embed-token.ts';
import { requireReferrer } from '../require-referrer.ts';
import { toPlayDataModel } from './play-data-model.ts';
import { recallLibrary, recallShowing, type Showing, type ShowingDeps } from './video-model.ts';

export type PlayDataDeps = ShowingDeps & {
  videoViews: VideoViewStore;
  pullZones: PullZoneStore;
  ownHosts: readonly string[];
};

export const PlayQuery = Type.Object({ token: queryText(), expires: queryInt64(0) });

/**
 * Loads the play data of a video for a caller without a key. Throws `Refused`: `unauthenticated` if the library does
 * not accept the caller's page or token, `not-found` if the video does not exist.
 */
export async function loadPlayData(
  key: MediaKey,
  { query, referrer, address }: { query: Static<typeof PlayQuery>; referrer: string | null; address: string },
  deps: PlayDataDeps,
): Promise<VideoPlayDataModel> {
  const library = await recallLibrary(key.libraryId, deps);
  requireReferrer(referrer, library, deps.ownHosts);
  const shown = { token: query.token, expiresSec: query.expires };
  const asked = { mediaId: key.mediaId, library };
  await requireEmbedToken(shown, asked, deps);
  const view = await deps.videoViews.load(key);
  await requireTokenIfPrivate(shown, { ...asked, visibility: view.visibility }, deps);
  const showing = await recallShowing(key.libraryId, { address, views: [view] }, deps);
  return describe(view, locationForViewer(showing, shown), deps);
}

/** Loads the play data of a video without the rules for viewers. Throws `Refused` (`not-found`) for unknown videos. */
export async function showPlayData(
  key: MediaKey,
  address: string,
  deps: ShowingDeps & Pick<PlayDataDeps, 'videoViews'>,
): Promise<VideoPlayDataModel> {
  const view = await deps.videoViews.load(key);
  return describe(view, await recallShowing(key.libraryId, { address, views: [view] }, deps), deps);
}

async function describe(
  view: VideoView,
  showing: Showing,
  { videoViews }: Pick<PlayDataDeps, 'videoViews'>,
): Promise<VideoPlayDataModel> {
  const key = { libraryId: view.library_id, mediaId: view.id };
  return toPlayDataModel(view, await videoViews.hasPlaylist(key), showing);
}
