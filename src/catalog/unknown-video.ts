import { Refused } from '../lib/refused.ts';
import type { MediaKey } from './db.ts';

/** Returns the refusal (`not-found`) of a request that names a video which does not exist. */
export function unknownVideo({ libraryId, mediaId }: MediaKey): Refused {
  return new Refused('not-found', `Video ${mediaId} in library ${libraryId} not found. Check the id.`);
}
