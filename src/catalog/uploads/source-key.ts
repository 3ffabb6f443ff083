import type { Guid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';

/** Where the original that came by an upload lies: `{libraryId}/{mediaId}/source/{uploadId}`. */
export function sourceKeyOf({ libraryId, mediaId }: MediaKey, uploadId: Guid): StorageKey {
  // Made of ids alone, in the shape that the storage port sets out for originals.
  return `${libraryId}/${mediaId}/source/${uploadId}` as StorageKey;
}
