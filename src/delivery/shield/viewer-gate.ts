import type { Publication } from '../../catalog/publications/publication.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import { admitViewer } from '../../catalog/viewers/admit-viewer.ts';
import type { ViewerAuthorizer } from '../../catalog/viewers/viewer-authorizer.ts';
import { type Problem, toProblem } from '../http/answer.ts';
import type { EdgeRequest } from '../receive/receive.ts';
import type { PlayRequest } from './play-request.ts';
import type { PlaybackAuthorizer } from './playback-authorizer.ts';

type GateDeps = { viewers: Pick<ViewerAuthorizer, 'judge'>; playback: PlaybackAuthorizer };
type Opened = { play: PlayRequest; isDirect: boolean };

/**
 * Lets the owner of a library decide about a viewer who opens a player page. Returns the request with the embed token
 * that the viewer gets, or the reason why the owner does not admit them. Pages that are refused anyway ask nobody.
 */
export async function passGate(
  { libraryId, mediaId, collectionId }: Publication,
  { admitted: { request }, opened: { play, isDirect } }: { admitted: Admitted<EdgeRequest>; opened: Opened },
  { viewers, playback }: GateDeps,
): Promise<{ play: PlayRequest; refusal: Problem | null }> {
  const { policy, client, nowMs } = request;
  if (policy === null || policy.zone.viewers.mode === 'off') return { play, refusal: null };
  const page = { libraryId, mediaId, collectionId, isDirect };
  if ((await playback.judgePlayerPage(page, play)) !== null) return { play, refusal: null };
  const { shown, viewerToken: token, userAgent, referrer } = play;
  const viewer = { mediaId, token, shown, address: client.address, userAgent, referrer };
  const found = await admitViewer(policy, viewer, { viewers, nowMs });
  if ('shown' in found) return { play: { ...play, shown: found.shown }, refusal: null };
  const { hit } = found;
  const message = `Expected ${hit.expected}, got ${hit.received}.`;
  return { play, refusal: { ...toProblem(hit.rule.code, message), hit } };
}
