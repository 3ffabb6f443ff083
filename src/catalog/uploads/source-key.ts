import type { Guid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';
import { mediaPrefix } from '../tasks/encode-task.ts';

/** Where the original that came by an upload lies: `{libraryId}/{mediaId}/source/{uploadId}`. */
export function sourceKeyOf(key: MediaKey, uploadId: Guid): StorageKey {
  // Made of ids alone, in the shape that the storage port sets out for originals.
  return `${mediaPrefix(key)}source/${uploadId}` as StorageKey;
}
