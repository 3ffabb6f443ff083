import { type EmbedToken, signEmbedToken } from '../../catalog/libraries/embed-token.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { signMedia, signMediaFile } from '../../catalog/pull-zones/sign-media.ts';
import type { ZonePolicy } from '../../catalog/pull-zones/zone-policy.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import type { CompiledPolicy } from '../../catalog/shield/admission/compiled-policy.ts';
import { policyOfMedia } from '../../catalog/shield/admission/judge-playback.ts';
import type { EdgeRequest } from '../receive/receive.ts';
import { tokenQuery } from './play-request.ts';

/** Embed token of a player page, and when the share that issued it expires, in seconds since 1970 or infinity. */
export type PageToken = { shown: EmbedToken; shareEndSec: number };

/**
 * Returns the token of a video's folder for an admitted player page, or null if the zone requires none. It ends with
 * the share of the page at the latest. If the owner decides which viewers may watch, it also ends with the embed token.
 */
export function folderTokenFor(
  publication: Publication,
  { request: { policy, client, nowMs } }: Admitted<EdgeRequest>,
  { shown, shareEndSec }: PageToken,
): string | null {
  const zone = zoneOf(publication, policy);
  if (zone === null || !zone.settings.tokenRequired) return null;
  const endSec = zone.viewers.mode === 'off' ? shareEndSec : Math.min(shown.expiresSec, shareEndSec);
  return signMedia(zone, publication, { address: client.address, nowMs, endSec });
}

/** A file of a media item, such as `thumbnail.jpg` or `captions/en.vtt?ver=1`. */
type MediaFile = Pick<Publication, 'pullZoneName' | 'mediaId' | 'visibility'> & { file: string };

/**
 * Returns the path and query of one file for an admitted page outside the player. If the zone requires a token, it
 * opens only this file, for 6 h or until `endSec`.
 */
export function fileUrlFor(
  { pullZoneName, mediaId, file, visibility }: MediaFile,
  { request: { policy, client, nowMs } }: Admitted<EdgeRequest>,
  endSec: number,
): string {
  const path = `/${mediaId}/${file}`;
  const zone = zoneOf({ visibility }, policy);
  if (zone === null || !zone.settings.tokenRequired) return `/${pullZoneName}${path}`;
  const query = signMediaFile(zone, path, { address: client.address, nowMs, endSec });
  return `/${pullZoneName}${path.split('?', 1)[0]}?${query}`;
}

/**
 * Returns the embed token of another video on a viewer's page, as a query. It expires at the same time as the viewer's
 * own token `shown`. Returns an empty string if the library requires no token.
 */
export function embedQueryFor(
  { mediaId, visibility }: Publication,
  { request: { policy } }: Admitted<EdgeRequest>,
  { expiresSec }: EmbedToken,
): string {
  const zone = zoneOf({ visibility }, policy);
  if (zone === null || !zone.embedTokenRequired) return '';
  return tokenQuery({ shown: signEmbedToken(zone.keys.current, mediaId, { expiresSec }) });
}

function zoneOf(media: Pick<Publication, 'visibility'>, policy: CompiledPolicy | null): ZonePolicy | null {
  return policy === null ? null : policyOfMedia(policy, media).zone;
}
