import { type Guid, hashToGuid } from '../../lib/guid.ts';

/** Derives the GUID of a copy in another library, so that a second import finds the copies of the first. */
export function deriveNewGuid(libraryId: number, guid: Guid): Guid {
  return hashToGuid(JSON.stringify(['copy', libraryId, guid]));
}
