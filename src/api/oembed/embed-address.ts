import { PLAYER_HOSTS } from '../../catalog/libraries/referrer.ts';
import { SHARE_TOKEN } from '../../catalog/shares/share.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { readId } from '../read-params.ts';

/** The video of a player page. `isDirect` is true for a /play page, which is opened directly and not embedded. */
export type EmbeddedVideo = { libraryId: number; mediaId: Guid; isDirect: boolean };

/** Returns the token in the URL of a share page on our own edge. Returns null for anything else. */
export function readShareAddress(text: string, edgeUrl: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || url.host !== new URL(edgeUrl).host) return null;
  const token = /^\/share\/([^/]+)\/?$/.exec(url.pathname)?.[1] ?? '';
  return SHARE_TOKEN.test(token) ? token : null;
}

/**
 * Parses the URL of an embed or play page, `/embed/{library}/{video}` or `/play/{library}/{video}`, on our own edge or
 * on a host that applications may still link to. Returns null for anything else.
 */
export function readEmbedAddress(text: string, edgeUrl: string): EmbeddedVideo | null {
  const url = URL.parse(text.trim());
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  if (url.host !== new URL(edgeUrl).host && !PLAYER_HOSTS.includes(url.hostname)) return null;
  const [, page = '', library = '', video = ''] = /^\/(embed|play)\/([^/]+)\/([^/]+)\/?$/i.exec(url.pathname) ?? [];
  const [libraryId, mediaId] = [readId(library), readGuid(video)];
  return libraryId === null || mediaId === null
    ? null
    : { libraryId, mediaId, isDirect: page.toLowerCase() === 'play' };
}
