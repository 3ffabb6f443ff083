import { signEmbedToken } from '../../catalog/libraries/embed-token.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { type Share, shareEndSec, showsVideo } from '../../catalog/shares/share.ts';
import { policyOfMedia } from '../../catalog/shield/admission/judge-playback.ts';
import type { Guid } from '../../lib/guid.ts';
import type { Answer } from '../http/answer.ts';
import { bestMp4File } from '../mp4/serve-mp4.ts';
import { phaseOf } from '../player/describe-video.ts';
import { tokenQuery } from '../shield/play-request.ts';
import { fileUrlFor } from '../shield/sign-for-viewer.ts';
import { type Asked, type AskedShare, notice, parameterOf, pathOf, type ShareDeps } from './share-answers.ts';
import type { ShareNotice } from './write-share-page.ts';

/** Seconds for which a player token is valid in addition to the length of the video, so that viewers can pause. */
const PAUSE_SEC = 15 * 60;

/** A video that the viewer of a share may see. */
export type SharedVideo = { share: Share; publication: Publication };

/** Returns a video of a share, or the page that explains why it cannot be played. */
export async function openVideo(
  { admitted, share }: AskedShare,
  mediaId: Guid,
  deps: ShareDeps,
): Promise<SharedVideo | Answer> {
  const publication = await deps.reader.find(admitted, { libraryId: share.libraryId, mediaId }, deps.budgets);
  if (publication === null || !showsVideo(share, publication)) return notice(admitted, 'gone', deps);
  const state = stateOf(publication);
  return state === null ? { share, publication } : notice(admitted, state, deps);
}

/** Returns the reason why a video cannot be played, or null if it can. */
function stateOf(publication: Publication): ShareNotice | null {
  const phase = phaseOf(publication);
  const isPlayable = publication.renditions.some(({ isActive, chunks }) => isActive && chunks.length > 0);
  if (phase.kind === 'failed') return 'failed';
  if (phase.kind === 'finished' || isPlayable || publication.live !== undefined) return null;
  return phase.kind === 'waiting' ? 'waiting' : 'processing';
}

/**
 * Returns the URL of the player page, with a token that lasts for the video but not longer than the share. The
 * token ends when the share is deleted, or when the video leaves its collection. The player of a collection gets the
 * link of the share as a fragment, which browsers send to no server.
 */
export function playerUrl(admitted: Asked, { share, publication }: SharedVideo): string {
  const { policy, nowMs } = admitted.request;
  const { libraryId, mediaId, durationMs } = publication;
  const isList = share.target.kind === 'collection';
  const plays = isList && parameterOf(admitted, 'autoplay') === 'true';
  const query = new URLSearchParams({ autoplay: `${plays}` });
  const start = parameterOf(admitted, 't');
  if (start !== '') query.set('t', start);
  if (parameterOf(admitted, 'muted') === 'true') query.set('muted', 'true');
  const endSec = Math.ceil((nowMs + durationMs) / 1000) + PAUSE_SEC;
  const zone = policy === null ? undefined : policyOfMedia(policy, publication).zone;
  const validity = { expiresSec: Math.min(endSec, shareEndSec(share)), shareId: share.id };
  const token =
    zone === undefined || !zone.embedTokenRequired
      ? ''
      : `&${tokenQuery({ shown: signEmbedToken(zone.keys.current, mediaId, validity) })}`;
  return `/embed/${libraryId}/${mediaId}?${query}${token}${isList ? `#list=${pathOf(admitted)}` : ''}`;
}

/** Returns the URL of the file that a share offers, or null if it offers none. */
export function downloadUrl(admitted: Asked, { share, publication }: SharedVideo): string | null {
  const file = share.allowsDownload ? bestMp4File(publication) : null;
  if (file === null) return null;
  return fileUrlFor({ ...publication, file: `${file}?download=1` }, admitted, shareEndSec(share));
}
