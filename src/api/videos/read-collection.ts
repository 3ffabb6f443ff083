import { type Guid, readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';

/**
 * Parses the id of a collection in a body; null and an empty string mean no collection. Throws `Refused` (`invalid`) if
 * the text is not a GUID.
 */
export function readCollection(text: string | null | undefined): Guid | null {
  if (text === undefined || text === null || text === '') return null;
  const id = readGuid(text);
  if (id === null)
    throw new Refused(
      'invalid',
      `Expected a collection's GUID in collectionId, got ${quote(text)}. Correct the value.`,
    );
  return id;
}
