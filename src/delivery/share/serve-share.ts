import { randomBytes } from 'node:crypto';
import { signEmbedToken } from '../../catalog/libraries/embed-token.ts';
import { imageKey } from '../../catalog/libraries/library-image.ts';
import type { Publication } from '../../catalog/publications/publication.ts';
import { isShareOver, type Share } from '../../catalog/shares/share.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import type { SharePart } from '../../catalog/shield/admission/edge-path.ts';
import type { AddressSet } from '../../lib/client-address.ts';
import { readBytes } from '../../lib/read-bytes.ts';
import { requestOrigin } from '../../lib/request-origin.ts';
import type { EdgeStorage } from '../edge-deps.ts';
import { serveObject } from '../files/serve-file.ts';
import { type Answer, CACHE_NOTHING, CACHE_PRIVATELY, type Described, notFound } from '../http/answer.ts';
import { bestMp4File } from '../mp4/serve-mp4.ts';
import { folderOf, phaseOf } from '../player/describe-video.ts';
import type { PlayerAssets } from '../player/load-player-assets.ts';
import { refusedPage } from '../player/serve-player.ts';
import type { PublicationReader } from '../publication-reader.ts';
import type { EdgeRequest, ReceiveDeps } from '../receive/receive.ts';
import { readPlayRequest, tokenQuery } from '../shield/play-request.ts';
import type { PlaybackAuthorizer } from '../shield/playback-authorizer.ts';
import { folderTokenFor } from '../shield/sign-for-viewer.ts';
import type { ShareVisitors } from './share-visitors.ts';
import { NOTICES, type ShareNotice, writeNoticePage, writePasswordPage, writeSharePage } from './write-share-page.ts';

type ShareDeps = {
  player: PlayerAssets;
  playback: PlaybackAuthorizer;
  reader: Pick<PublicationReader, 'find'>;
  budgets: ReceiveDeps['budgets'];
  storage: EdgeStorage;
  visitors: ShareVisitors;
  edgeUrl: string | null;
  apiUrl: string | null;
  trusted: AddressSet;
};
type Asked = Admitted<EdgeRequest>;
/** A share that the viewer may see, and its video. */
type Opened = { share: Share; publication: Publication };

const NONCE_BYTES = 16;
const MAX_FORM_BYTES = 4_096;
/** Seconds for which a player token is valid in addition to the length of the video, so that viewers can pause. */
const PAUSE_SEC = 15 * 60;
const RETRY_AFTER_SEC = 30;

/**
 * Serves the page of a share, redirects to its player with a token for this viewer, or redirects to the file that it
 * offers. A share replaces the embed token and `AllowDirectPlay`. All other rules of the library apply.
 */
export async function serveShare(admitted: Asked, part: SharePart, deps: ShareDeps): Promise<Answer> {
  if (part === 'logo') return serveLogo(admitted, deps);
  const found = await openShare(admitted, deps);
  if ('kind' in found) return found;
  if (part === 'page') return pageOf(admitted, found, deps);
  if (part === 'player') return redirect(playerUrl(admitted, found));
  const url = downloadUrl(admitted, found);
  return url === null ? notice(admitted, 'gone', deps) : redirect(url);
}

/** Serves the logo of the library, which the page for the password also shows. */
async function serveLogo(admitted: Asked, deps: ShareDeps): Promise<Answer> {
  const { share, nowMs } = admitted.request;
  if (share === null || isShareOver(share, nowMs)) return notFound('unknown-picture');
  const publication = await deps.reader.find(admitted, share, deps.budgets);
  const version = publication?.settings.logoVersion ?? null;
  if (version === null) return notFound('unknown-picture');
  const answer = await serveObject(imageKey(share.libraryId, 'logo', version), 'image/png', deps.storage);
  return answer.kind === 'problem' ? answer : { ...answer, cacheControl: CACHE_PRIVATELY };
}

/** Checks the password that a visitor entered. If it is right, redirects to the page with a cookie. */
export async function takeSharePassword(admitted: Asked, deps: ShareDeps): Promise<Answer> {
  const { message, share, client, nowMs } = admitted.request;
  const form = await readBytes(message, { what: 'a password', limitBytes: MAX_FORM_BYTES });
  if (share === null || share.passwordHash === null || isShareOver(share, nowMs)) {
    return serveShare(admitted, 'page', deps);
  }
  const refusal = await refusalOf(admitted, share, deps);
  if (refusal !== null) return refusal;
  const password = new URLSearchParams(form.toString()).get('password') ?? '';
  const verdict = await deps.visitors.check(share, password, client.key);
  if (verdict !== 'right') return passwordPage(admitted, { share, verdict }, deps);
  const path = pathOf(admitted);
  const isSecure = originOf(admitted, deps).startsWith('https:');
  return redirect(path, { 'Set-Cookie': deps.visitors.writePass(share, path, { isSecure, nowMs }) });
}

/** Returns the video of a share, or the page that explains why the viewer may not see it. */
async function openShare(admitted: Asked, deps: ShareDeps): Promise<Opened | Answer> {
  const { share, message, nowMs } = admitted.request;
  if (share === null) return notice(admitted, 'gone', deps);
  const refusal = await refusalOf(admitted, share, deps);
  if (refusal !== null) return refusal;
  if (isShareOver(share, nowMs)) return notice(admitted, 'expired', deps);
  if (share.passwordHash !== null && !deps.visitors.holdsPass(share, message, nowMs)) {
    return passwordPage(admitted, { share, verdict: 'asked' }, deps);
  }
  const publication = await deps.reader.find(admitted, share, deps.budgets);
  if (publication === null) return notice(admitted, 'gone', deps);
  const state = stateOf(publication);
  return state === null ? { share, publication } : notice(admitted, state, deps);
}

/**
 * Returns the page that explains a refusal by the referrer rules; null if they allow the viewer. Address, country and
 * rates were checked before.
 */
async function refusalOf({ request }: Asked, share: Share, { playback, player }: ShareDeps): Promise<Answer | null> {
  const problem = await playback.authorizePage(share, readPlayRequest(request.message));
  if (problem === null) return null;
  const page = refusedPage(problem, { uiLanguage: languageOf(request), lacksToken: false, assets: player });
  return { ...page, headers: { ...page.headers, ...UNLISTED } };
}

/** Returns the reason why a video cannot be played; null if it can. */
function stateOf(publication: Publication): ShareNotice | null {
  const phase = phaseOf(publication);
  const isPlayable = publication.renditions.some(({ isActive, chunks }) => isActive && chunks.length > 0);
  if (phase.kind === 'failed') return 'failed';
  if (phase.kind === 'finished' || isPlayable || publication.live !== undefined) return null;
  return phase.kind === 'waiting' ? 'waiting' : 'processing';
}

function pageOf(admitted: Asked, { share, publication }: Opened, deps: ShareDeps): Answer {
  const { request } = admitted;
  const path = pathOf(admitted);
  const origin = originOf(admitted, deps);
  const folderToken = folderTokenFor(publication, admitted);
  const folder = folderOf(publication, { folderToken });
  const start = new URLSearchParams(request.address.query).get('t') ?? '';
  const view = {
    path,
    origin,
    folder,
    apiUrl: deps.apiUrl,
    hasDownload: share.allowsDownload && bestMp4File(publication) !== null,
    isOpen: share.passwordHash === null,
    start: /^[\w:.]{1,20}$/.test(start) ? start : '',
  };
  return page({ status: 200 }, (nonce) => writeSharePage(publication, view, { assets: deps.player, nonce }));
}

async function passwordPage(
  admitted: Asked,
  { share, verdict }: { share: Share; verdict: 'asked' | 'wrong' | 'limited' },
  deps: ShareDeps,
): Promise<Answer> {
  // Only the settings of the library are shown.
  const settings = (await deps.reader.find(admitted, share, deps.budgets))?.settings ?? null;
  const view = { path: pathOf(admitted), verdict, settings, language: languageOf(admitted.request) };
  const status = verdict === 'limited' ? 429 : 403;
  return page({ status }, (nonce) => writePasswordPage(view, { assets: deps.player, nonce }));
}

function notice({ request }: Asked, reason: ShareNotice, deps: ShareDeps): Answer {
  const { status } = NOTICES[reason];
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': `${RETRY_AFTER_SEC}` } : {};
  const view = { reason, language: languageOf(request) };
  return page({ status, headers }, (nonce) => writeNoticePage(view, { assets: deps.player, nonce }));
}

/**
 * Returns the address of the player page, with a token that lasts for the video but not longer than the share. The
 * token ends when the share is deleted.
 */
function playerUrl({ request: { policy, nowMs, address } }: Asked, { share, publication }: Opened): string {
  const { libraryId, mediaId, durationMs } = publication;
  const query = new URLSearchParams({ autoplay: 'false' });
  const start = new URLSearchParams(address.query).get('t');
  if (start !== null) query.set('t', start);
  const endSec = Math.ceil((nowMs + durationMs) / 1000) + PAUSE_SEC;
  const shareEndSec = share.expiresAt === null ? endSec : Math.floor(share.expiresAt.getTime() / 1000);
  const zone = policy?.zone;
  const validity = { expiresSec: Math.min(endSec, shareEndSec), shareId: share.id };
  const token =
    zone === undefined || !zone.embedTokenRequired
      ? ''
      : `&${tokenQuery({ shown: signEmbedToken(zone.keys.current, mediaId, validity) })}`;
  return `/embed/${libraryId}/${mediaId}?${query}${token}`;
}

function downloadUrl(admitted: Asked, { share, publication }: Opened): string | null {
  const file = share.allowsDownload ? bestMp4File(publication) : null;
  if (file === null) return null;
  return `${folderOf(publication, { folderToken: folderTokenFor(publication, admitted) })}/${file}?download=1`;
}

/** Search engines must not list the pages. The link is a secret, so it is not sent to other sites. */
const UNLISTED = { 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'strict-origin' };

function page(facts: Pick<Described, 'status' | 'headers'>, write: (nonce: string) => Buffer): Answer {
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  const headers = { ...UNLISTED, 'Content-Security-Policy': policy.join('; '), Vary: 'Cookie', ...facts.headers };
  const described = { contentType: 'text/html; charset=utf-8', cacheControl: CACHE_NOTHING, etag: null };
  return { kind: 'bytes', bytes: write(nonce), ...described, ...facts, headers };
}

function redirect(location: string, headers: Record<string, string> = {}): Answer {
  return {
    kind: 'bytes',
    bytes: Buffer.alloc(0),
    status: 303,
    contentType: 'text/plain; charset=utf-8',
    cacheControl: CACHE_NOTHING,
    etag: null,
    headers: { ...UNLISTED, ...headers, Location: location },
  };
}

function languageOf({ policy, message }: EdgeRequest): string {
  return policy?.zone.uiLanguage ?? message.headers['accept-language'] ?? '';
}

function pathOf({ request: { target } }: Asked): string {
  return target?.kind === 'share' ? `/share/${target.token}` : '/';
}

/** Returns the origin of the address that other sites show. */
function originOf({ request: { message } }: Asked, { edgeUrl, trusted }: ShareDeps): string {
  if (edgeUrl !== null) return edgeUrl;
  const { scheme, host } = requestOrigin(message, trusted);
  return host === null ? '' : `${scheme}://${host}`;
}
