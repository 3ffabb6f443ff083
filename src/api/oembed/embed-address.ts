import { PLAYER_HOSTS } from '../../catalog/libraries/referrer.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { readId } from '../read-params.ts';

/** The video of a player page. `isDirect` is true for a /play page, which is opened directly and not embedded. */
export type EmbeddedVideo = { libraryId: number; mediaId: Guid; isDirect: boolean };

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
