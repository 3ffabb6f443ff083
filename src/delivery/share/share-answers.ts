import { randomBytes } from 'node:crypto';
import type { Share } from '../../catalog/shares/share.ts';
import type { Admitted } from '../../catalog/shield/admission/admit.ts';
import type { AddressSet } from '../../lib/client-address.ts';
import { requestOrigin } from '../../lib/request-origin.ts';
import type { EdgeStorage } from '../edge-deps.ts';
import { type Answer, CACHE_NOTHING, type Described } from '../http/answer.ts';
import type { PlayerAssets } from '../player/load-player-assets.ts';
import type { PublicationReader } from '../publication-reader.ts';
import type { PlaylistReader } from '../receive/playlist-reader.ts';
import type { EdgeRequest, ReceiveDeps } from '../receive/receive.ts';
import type { PlaybackAuthorizer } from '../shield/playback-authorizer.ts';
import type { ShareComments } from './share-comments.ts';
import type { ShareEmails } from './share-emails.ts';
import type { SharePasswords } from './share-passwords.ts';
import { NOTICES, type ShareNotice, writeNoticePage } from './write-share-page.ts';

export type ShareDeps = {
  player: PlayerAssets;
  playback: PlaybackAuthorizer;
  reader: Pick<PublicationReader, 'find'>;
  playlists: PlaylistReader;
  budgets: ReceiveDeps['budgets'];
  storage: EdgeStorage;
  passwords: SharePasswords;
  emails: ShareEmails;
  comments: ShareComments;
  edgeUrl: string | null;
  apiUrl: string | null;
  trusted: AddressSet;
};
export type Asked = Admitted<EdgeRequest>;
/** A request for the page of a share that exists. */
export type AskedShare = { admitted: Asked; share: Share };

const NONCE_BYTES = 16;
const RETRY_AFTER_SEC = 30;

/** Search engines must not list the pages. The link is a secret, so it is not sent to other sites. */
export const UNLISTED = { 'X-Robots-Tag': 'noindex, nofollow', 'Referrer-Policy': 'strict-origin' };

type PageFacts = Pick<Described, 'status' | 'headers'> & {
  /** Whether pages of other sites may frame it. */
  isFramed?: boolean;
};

export function page({ isFramed = false, ...facts }: PageFacts, write: (nonce: string) => Buffer): Answer {
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
    `frame-ancestors ${isFramed ? '*' : "'none'"}`,
  ];
  const headers = { ...UNLISTED, 'Content-Security-Policy': policy.join('; '), Vary: 'Cookie', ...facts.headers };
  const described = { contentType: 'text/html; charset=utf-8', cacheControl: CACHE_NOTHING, etag: null };
  return { kind: 'bytes', bytes: write(nonce), ...described, ...facts, headers };
}

/** Returns the page that explains why a share shows nothing. A player in a frame of another site shows it there. */
export function notice({ request }: Asked, reason: ShareNotice, { player }: Pick<ShareDeps, 'player'>): Answer {
  const { status } = NOTICES[reason];
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': `${RETRY_AFTER_SEC}` } : {};
  const view = { reason, language: languageOf(request) };
  const isFramed = request.target?.kind === 'share' && request.target.part === 'player';
  return page({ status, headers, isFramed }, (nonce) => writeNoticePage(view, { assets: player, nonce }));
}

export function redirect(location: string, headers: Record<string, string> = {}): Answer {
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

export function languageOf({ policy, message }: EdgeRequest): string {
  return policy?.zone.uiLanguage ?? message.headers['accept-language'] ?? '';
}

export function pathOf({ request: { target } }: Asked): string {
  return target?.kind === 'share' ? `/share/${target.token}` : '/';
}

/** Returns the origin of the page's URL as other sites show it. */
export function originOf({ request: { message } }: Asked, { edgeUrl, trusted }: ShareDeps): string {
  if (edgeUrl !== null) return edgeUrl;
  const { scheme, host } = requestOrigin(message, trusted);
  return host === null ? '' : `${scheme}://${host}`;
}

/** Returns a parameter in the query of the request, or an empty text. */
export function parameterOf({ request: { address } }: Asked, name: string): string {
  return new URLSearchParams(address.query).get(name) ?? '';
}
