import { randomBytes } from 'node:crypto';
import type { Publication } from '../../catalog/publications/publication.ts';
import { type Answer, CACHE_NEVER, notFound } from '../http/answer.ts';
import type { PlayerAssets } from './load-player-assets.ts';
import { describeState } from './player-state.ts';
import { writeMissingPage, writePlayerPage } from './write-player-page.ts';

const PAGE = 'text/html; charset=utf-8';
const NONCE_BYTES = 16;

/** Answers the player page of a video, or the small state that an open page asks for. */
export function servePlayer(publication: Publication | null, wantsState: boolean, assets: PlayerAssets): Answer {
  if (wantsState) {
    if (publication === null) return notFound('unknown-video', 'There is no such video.');
    const bytes = Buffer.from(JSON.stringify(describeState(publication)));
    return {
      kind: 'bytes',
      bytes,
      contentType: 'application/json; charset=utf-8',
      cacheControl: CACHE_NEVER,
      etag: null,
    };
  }
  const nonce = randomBytes(NONCE_BYTES).toString('base64');
  const bytes = publication === null ? writeMissingPage(nonce) : writePlayerPage(publication, assets, nonce);
  const status = publication === null ? 404 : 200;
  return {
    kind: 'bytes',
    bytes,
    status,
    contentType: PAGE,
    cacheControl: 'no-store',
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
