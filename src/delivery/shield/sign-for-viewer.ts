import { type EmbedToken, signEmbedToken } from '../../catalog/libraries/embed-token.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { signMedia } from '../../catalog/pull-zones/sign-media.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import type { EdgeRequest } from '../receive/receive.ts';
import { tokenQuery } from './play-request.ts';

/**
 * Returns the token of a video's folder for an admitted page, or null if the zone requires none. If the owner decides
 * about viewers, it ends with the embed token `shown`.
 */
export function folderTokenFor(
  publication: Publication,
  { request: { policy, client, nowMs } }: Admitted<EdgeRequest>,
  shown: EmbedToken | null = null,
): string | null {
  if (policy === null || !policy.zone.settings.tokenRequired) return null;
  const isBounded = policy.zone.viewers.mode !== 'off' && shown !== null;
  const end = isBounded ? { endSec: shown.expiresSec } : {};
  return signMedia(policy.zone, publication, { address: client.address, nowMs, ...end });
}

/**
 * Returns the embed token of another video on a viewer's page, as a query. It expires at the same time as the viewer's
 * own token `shown`. Returns an empty string if the library requires no token.
 */
export function embedQueryFor(
  { mediaId }: Publication,
  { request: { policy } }: Admitted<EdgeRequest>,
  { expiresSec }: EmbedToken,
): string {
  if (policy === null || !policy.zone.embedTokenRequired) return '';
  return tokenQuery({ shown: signEmbedToken(policy.zone.keys.current, mediaId, { expiresSec }) });
}
