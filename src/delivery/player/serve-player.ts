import { randomBytes } from 'node:crypto';
import type { LicenceProxy } from '../../catalog/drm/licence-proxy.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { type Answer, CACHE_NEVER, CACHE_NOTHING, notFound } from '../http/answer.ts';
import type { PlayPermits } from '../shield/play-permits.ts';
import { type PlayRequest, tokenQuery } from '../shield/play-request.ts';
import type { PlayerAssets } from './load-player-assets.ts';
import { describeState } from './player-state.ts';
import { writeMissingPage, writePlayerPage, writeRefusedPage } from './write-player-page.ts';

const PAGE = 'text/html; charset=utf-8';
const NONCE_BYTES = 16;

/** `isDirect`: the address is one for opening by itself. */
type PlayerRequest = { wantsState: boolean; isDirect: boolean; play: PlayRequest };
type PlayerDeps = {
  player: PlayerAssets;
  permits: PlayPermits;
  licences: LicenceProxy | null;
  beacons: { ticketSecret: Uint8Array };
};

/**
 * Answers the player page of a video, or the small state that an open page reads. A video has a page only for those
 * who would get its keys, were it protected: the page itself is a referrer that is let in.
 */
export async function servePlayer(
  publication: Publication | null,
  { wantsState, isDirect, play }: PlayerRequest,
  { player, permits, licences, beacons }: PlayerDeps,
): Promise<Answer> {
  if (publication === null) {
    return wantsState ? notFound('unknown-video', 'There is no such video.') : page(404, writeMissingPage);
  }
  const { libraryId, mediaId } = publication;
  const opened = { libraryId, mediaId, isDirect: !wantsState && (isDirect || play.isOpenedByItself) };
  const refusal = await permits.refusalOfPlayer(opened, play);
  if (refusal !== null) {
    return wantsState ? { kind: 'problem', problem: refusal } : page(403, (nonce) => writeRefusedPage(refusal, nonce));
  }
  const view = { query: tokenQuery(play), licences, ticketSecret: beacons.ticketSecret };
  if (!wantsState) return page(200, (nonce) => writePlayerPage(publication, view, { assets: player, nonce }));
  return {
    kind: 'bytes',
    bytes: Buffer.from(JSON.stringify(describeState(publication, view))),
    contentType: 'application/json; charset=utf-8',
    cacheControl: CACHE_NEVER,
    etag: null,
  };
}

function page(status: 200 | 403 | 404, write: (nonce: string) => Buffer): Answer {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  return {
    kind: 'bytes',
    bytes: write(nonce),
    status,
    contentType: PAGE,
    cacheControl: CACHE_NOTHING,
    etag: null,
    headers: security(nonce),
  };
}

/** Only our own origin is spoken to; any page may frame the player until referrer rules say otherwise. */
function security(nonce: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    'frame-ancestors *',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  };
}
