import { readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { readId } from '../read-params.ts';

/**
 * Where the player page of a video lives, for an application that opens it at the interface's address. The query goes
 * along as it came. Refuses (`not-found`) what names no video; whether it may be played is judged by the edge.
 */
export function playerAddress(url: string, edgeUrl: string): string {
  const { pathname, search } = new URL(url, 'http://interface');
  const [, library = '', video = ''] = /^\/+play\/+([^/]+)\/+([^/]+)\/*$/i.exec(pathname) ?? [];
  const [libraryId, videoId] = [readId(library), readGuid(video)];
  if (libraryId === null || videoId === null) {
    throw new Refused('not-found', 'Expected /play/{libraryId}/{videoId}, got another address. Check it.');
  }
  return `${edgeUrl}/play/${libraryId}/${videoId}${search}`;
}
