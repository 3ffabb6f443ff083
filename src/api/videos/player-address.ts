import { readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { readId } from '../read-params.ts';

/**
 * Returns the URL of a video's player page, for applications that open it under the URL of the API. The query is kept.
 * Throws `Refused` (`not-found`) if the path contains no video. The edge decides whether the video may be played.
 */
export function playerAddress(url: string, edgeUrl: string): string {
  const { pathname, search } = new URL(url, 'http://interface');
  const [, library = '', video = ''] = /^\/+play\/+([^/]+)\/+([^/]+)\/*$/i.exec(pathname) ?? [];
  const [libraryId, videoId] = [readId(library), readGuid(video)];
  if (libraryId === null || videoId === null) {
    throw new Refused('not-found', `Expected /play/{libraryId}/{videoId}, got ${pathname}. Check the URL.`);
  }
  return `${edgeUrl}/play/${libraryId}/${videoId}${search}`;
}
