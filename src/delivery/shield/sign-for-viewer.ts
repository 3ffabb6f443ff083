import { signEmbedToken } from '../../catalog/libraries/embed-token.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { signMedia } from '../../catalog/pull-zones/sign-media.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import type { EdgeRequest } from '../receive/receive.ts';
import { readPlayRequest, tokenQuery } from './play-request.ts';

/** The token of the folder of a video for a page that was let in; null where the zone requires none. */
export function folderTokenFor(
  publication: Publication,
  { request: { policy, client, nowMs } }: Admitted<EdgeRequest>,
): string | null {
  if (policy === null || !policy.zone.settings.tokenRequired) return null;
  return signMedia(policy.zone, publication, { address: client.address, nowMs });
}

/**
 * The embed token of another video that the page of a viewer shows, as a query: good for as long as the one that the
 * viewer shows, which opens the page before this is given out. Empty where the zone requires none.
 */
export function embedQueryFor(
  { mediaId }: Publication,
  { request: { policy, message } }: Admitted<EdgeRequest>,
): string {
  if (policy === null || !policy.zone.embedTokenRequired) return '';
  const { expiresSec } = readPlayRequest(message).shown;
  return tokenQuery({ shown: signEmbedToken(policy.zone.keys.current, mediaId, expiresSec) });
}
