import type { Guid } from '../../../lib/guid.ts';
import { describeToken, type EmbedToken, isEmbedTokenValid } from '../../libraries/embed-token.ts';
import { embedKeys } from '../../pull-zones/zone-policy.ts';
import { hasShareExpired, type Share, showsVideo } from '../../shares/share.ts';
import type { Visibility } from '../../visibility.ts';
import type { Hit } from '../hit.ts';
import { RULES } from '../rules.ts';
import { allowsPage, type CompiledPolicy } from './compiled-policy.ts';
import type { EdgeTarget } from './edge-path.ts';
import type { HostRules } from './host-rules.ts';

/** Facts about a viewer: the host of their page, null for none, and the embed token that they send. */
export type Viewer = { page: string | null; shown: EmbedToken };

/** Returns the reason why a player page that is opened directly is refused, or null if it is allowed. */
export function judgeDirectPlay({ zone }: CompiledPolicy, isDirect: boolean): Hit | null {
  if (!isDirect || zone.referrers.allowDirectPlay) return null;
  return { rule: RULES.directPlay, expected: 'a page of the owner that embeds the player', received: 'none' };
}

/** Returns why the page of a viewer may not show a library's videos, or null if it may. */
export function judgePage(policy: CompiledPolicy, page: string | null, ownHosts: HostRules): Hit | null {
  if (allowsPage(policy, page, ownHosts)) return null;
  return { rule: RULES.referrer, expected: "a page that the library's referrer rules allow", received: page ?? 'none' };
}

/** Policies of private media, by the policies of their zones. */
const closedPolicies = new WeakMap<CompiledPolicy, CompiledPolicy>();

/**
 * Returns the policy of a media item. A private one needs tokens for its player page and its files, even if the library
 * and the zone require none.
 */
export function policyOfMedia(policy: CompiledPolicy, { visibility }: { visibility: Visibility }): CompiledPolicy {
  const { zone } = policy;
  if (visibility !== 'private' || (zone.embedTokenRequired && zone.settings.tokenRequired)) return policy;
  const known = closedPolicies.get(policy);
  if (known !== undefined) return known;
  const settings = { ...zone.settings, tokenRequired: true };
  const closed = { ...policy, zone: { ...zone, embedTokenRequired: true, settings } };
  closedPolicies.set(policy, closed);
  return closed;
}

/** Returns why an embed token does not permit playing a video, or null if it does, or if the library requires none. */
export function judgeEmbedToken(
  { zone }: CompiledPolicy,
  { mediaId, shown }: { mediaId: Guid; shown: EmbedToken },
  nowMs: number,
): Hit | null {
  if (!zone.embedTokenRequired) return null;
  if (isEmbedTokenValid(shown, { mediaId, keys: embedKeys(zone.keys, nowMs) }, nowMs)) return null;
  return { rule: RULES.embedToken, expected: 'token and expires in the query', received: describeToken(shown, nowMs) };
}

/** Returns whether an embed token is valid for a video, even if its library requires none. */
export function holdsEmbedToken(
  { zone }: CompiledPolicy,
  { mediaId, shown }: { mediaId: Guid; shown: EmbedToken },
  nowMs: number,
): boolean {
  return isEmbedTokenValid(shown, { mediaId, keys: embedKeys(zone.keys, nowMs) }, nowMs);
}

/** Facts of a video that decide which share pages show it. */
export type JudgedVideo = { mediaId: Guid; collectionId: Guid | null; visibility: Visibility };

/**
 * Returns why a valid embed token of a share page no longer applies, or null if it does, or if it is not of a share
 * page. `share` is the one that the token names, or null if it was deleted. `collectionId` is that of the video.
 */
export function judgeShareToken(
  { zone }: CompiledPolicy,
  { shown, share, ...video }: JudgedVideo & { shown: EmbedToken; share: Share | null },
  nowMs: number,
): Hit | null {
  if (!zone.embedTokenRequired || shown.shareId === undefined) return null;
  const isRight = share !== null && showsVideo(share, { libraryId: zone.libraryId, ...video });
  if (isRight && !hasShareExpired(share, nowMs)) return null;
  return {
    rule: RULES.embedToken,
    expected: 'the token of a share page that shows the video',
    received: 'one that has ended',
  };
}

/** A request for a player page, a playlist or a key. `video` is null if it does not exist. */
export type PlaybackRequest = {
  method: string;
  target: EdgeTarget | null;
  policy: CompiledPolicy | null;
  /** `usesSessions`: its playlists have keys of play sessions. */
  video: (JudgedVideo & { usesSessions: boolean }) | null;
  viewer: Viewer;
  /** The share that the viewer's token names, or null if there is none. */
  tokenShare: Share | null;
  /** True if a browser opens the URL as a top-level page, and not in a frame. */
  isOpenedByItself: boolean;
  nowMs: number;
};

/**
 * Returns the reason why an admitted request gets no player page, key or playlist with keys, or null if it gets one.
 * Makes the checks that depend on the video. The edge makes each of them where it responds; this function makes all of
 * them, to explain a request.
 */
export function judgePlayback(request: PlaybackRequest, ownHosts: HostRules): Hit | null {
  const { target, policy, video, viewer, tokenShare, nowMs } = request;
  const checks = checksOf(request);
  if (checks === null || target === null || policy === null || video === null) return null;
  const isDirect = target.kind === 'player' && !target.wantsState && (target.isDirect || request.isOpenedByItself);
  const pageHit = judgeDirectPlay(policy, isDirect) ?? judgePage(policy, viewer.page, ownHosts);
  if (pageHit !== null || checks === 'page') return pageHit;
  const { mediaId, collectionId, visibility } = video;
  const shown = { mediaId, collectionId, visibility, shown: viewer.shown };
  const ofMedia = policyOfMedia(policy, video);
  return judgeEmbedToken(ofMedia, shown, nowMs) ?? judgeShareToken(ofMedia, { ...shown, share: tokenShare }, nowMs);
}

/**
 * Length of the name of a play session's key. Requests for it need no token, because the viewer sent one when the
 * session started.
 */
const SESSION_KEY_CHARS = 43;

function checksOf({ method, target, video }: PlaybackRequest): 'page' | 'page-and-token' | null {
  const isRead = method === 'GET' || method === 'HEAD';
  if (target?.kind === 'player') return isRead ? 'page-and-token' : null;
  // A share page needs no token, because the share grants it.
  if (target?.kind === 'share') {
    const isForm = method === 'POST' && (target.part === 'page' || target.part === 'comments');
    return isForm || (isRead && target.part !== 'logo') ? 'page' : null;
  }
  if (target?.kind !== 'media') return null;
  switch (target.file.kind) {
    case 'licence':
      return method === 'POST' ? 'page-and-token' : null;
    case 'key':
      if (!isRead) return null;
      return target.file.name.length === SESSION_KEY_CHARS ? 'page' : 'page-and-token';
    case 'multivariant':
    case 'rung-playlist':
      return isRead && video?.usesSessions === true ? 'page-and-token' : null;
    case 'rendition-playlist':
      return isRead && video?.usesSessions === true && target.file.session === null ? 'page-and-token' : null;
    default:
      return null;
  }
}
