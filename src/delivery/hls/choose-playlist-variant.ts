import type { Publication } from '../../catalog/publications/publication.ts';
import type { PackageKeys } from '../drm/package-keys.ts';
import { OVER, type PlaySessions } from '../drm/play-sessions.ts';
import { protectionOf } from '../drm/protection.ts';
import type { Problem } from '../http/answer.ts';
import { type PlayRequest, tokenQuery } from '../shield/play-request.ts';
import type { PlaybackAuthorizer } from '../shield/playback-authorizer.ts';
import {
  CLEAR_VARIANT,
  identityVariant,
  type PlaylistVariant,
  packageVariant,
  sessionVariant,
} from './playlist-variant.ts';

export type PlaylistVariantDeps = { keys: PackageKeys; sessions: PlaySessions; playback: PlaybackAuthorizer };

/**
 * `session` is the play session in the playlist's URL. `wantsIdentity` selects keys that players fetch raw. `isReread`
 * marks growing playlists, which players read repeatedly.
 */
export type PlaylistVariantRequest = {
  session: string | null;
  play: PlayRequest;
  wantsIdentity: boolean;
  isReread: boolean;
};

/**
 * Selects how a video's playlists are written for a viewer, or returns a problem with the reason for refusal. Starts a
 * play session for each permitted viewer who reads a playlist without one. Repeated reads of a growing playlist get the
 * same session.
 */
export async function choosePlaylistVariant(
  publication: Publication,
  { session, play, wantsIdentity, isReread }: PlaylistVariantRequest,
  { keys, sessions, playback }: PlaylistVariantDeps,
): Promise<PlaylistVariant | Problem> {
  const protection = protectionOf(publication);
  if (protection.kind === 'sessions') {
    const nowMs = Date.now();
    if (session !== null) return sessions.keyOf(publication, session, nowMs) === null ? OVER : sessionVariant(session);
    const refusal = await playback.authorize(publication, play);
    if (refusal !== null) return refusal;
    const durationSec = publication.live === undefined ? publication.durationMs / 1000 : LIVE_SESSION_SEC;
    const begun = isReread
      ? sessions.keep(publication, play.viewer, { durationSec, nowMs })
      : sessions.begin(publication, durationSec, nowMs);
    return sessionVariant(begun);
  }
  if (session !== null) return OVER;
  if (protection.kind === 'none') return CLEAR_VARIANT;
  const { packaged } = protection;
  const opened = await keys.keysOf(publication, packaged);
  const isOurs = packaged.signals.length === 0;
  return wantsIdentity && isOurs
    ? identityVariant(packaged, opened, tokenQuery(play))
    : packageVariant(packaged, opened);
}

/** Assumed length of a live stream for the lifetime of its play sessions, in seconds. */
const LIVE_SESSION_SEC = 12 * 3600;
