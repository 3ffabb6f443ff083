import type { Publication } from '../catalog/publications/publication.ts';
import type { Admitted } from '../catalog/shield/admission/admit.ts';
import type { EdgeTarget } from '../catalog/shield/admission/edge-path.ts';
import { admitViewer } from '../catalog/viewers/admit-viewer.ts';
import type { ViewerAuthorizer } from '../catalog/viewers/viewer-authorizer.ts';
import { type Answer, type Problem, toProblem } from './http/answer.ts';
import { findTrailer } from './player/find-trailer.ts';
import { servePlayer } from './player/serve-player.ts';
import type { EdgeRequest } from './receive/receive.ts';
import { type PlayRequest, readPlayRequest } from './shield/play-request.ts';
import { folderTokenFor } from './shield/sign-for-viewer.ts';

type PlayerDeps = Parameters<typeof servePlayer>[2] &
  Parameters<typeof findTrailer>[2] & { viewers: Pick<ViewerAuthorizer, 'judge'> };

/** Returns the player page of a video, or the state that an open page polls. */
export async function answerPlayer(
  admitted: Admitted<EdgeRequest>,
  target: Extract<EdgeTarget, { kind: 'player' }>,
  deps: PlayerDeps,
): Promise<Answer> {
  const publication = await deps.reader.find(admitted, target, deps.budgets);
  const { wantsState } = target;
  const sent = readPlayRequest(admitted.request.message);
  const isDirect = !wantsState && (target.isDirect || sent.isOpenedByItself);
  const opened = { play: sent, isDirect };
  const { play, refusal } =
    publication === null ? { play: sent, refusal: null } : await passGate(publication, { admitted, opened }, deps);
  const shareEndSec = publication === null ? 0 : await deps.playback.findShareEnd(publication, play);
  const token = { shown: play.shown, shareEndSec };
  const requested = {
    wantsState,
    isDirect,
    play,
    refusal,
    folderToken: publication === null ? null : folderTokenFor(publication, admitted, token),
    trailer: await findTrailer(publication, { admitted, token }, deps),
  };
  return servePlayer(publication, requested, deps);
}

type Opened = { play: PlayRequest; isDirect: boolean };

/**
 * Asks the owner of a library whether a viewer who opens a player page may watch. Returns the request with the embed
 * token that the viewer gets, or the reason why the owner does not admit them. Does not ask if the page is refused
 * anyway.
 */
async function passGate(
  { libraryId, mediaId, collectionId, visibility }: Publication,
  { admitted: { request }, opened: { play, isDirect } }: { admitted: Admitted<EdgeRequest>; opened: Opened },
  { viewers, playback }: Pick<PlayerDeps, 'viewers' | 'playback'>,
): Promise<{ play: PlayRequest; refusal: Problem | null }> {
  const { policy, client, nowMs } = request;
  if (policy === null || policy.zone.viewers.mode === 'off') return { play, refusal: null };
  const page = { libraryId, mediaId, collectionId, visibility, isDirect };
  if ((await playback.judgePlayerPage(page, play)) !== null) return { play, refusal: null };
  const { shown, viewerToken: token, userAgent, referrer } = play;
  const viewer = { mediaId, collectionId, token, shown, address: client.address, userAgent, referrer };
  const found = await admitViewer(policy, viewer, { viewers, nowMs });
  if ('shown' in found) return { play: { ...play, shown: found.shown }, refusal: null };
  const { hit } = found;
  // The reason is for the owner. It can contain their text, or describe a network that the viewer must not know.
  return { play, refusal: { ...toProblem(hit.rule.code), hit } };
}
