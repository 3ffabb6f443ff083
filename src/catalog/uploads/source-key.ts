import type { Guid } from '../../lib/guid.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { MediaKey } from '../db.ts';
import { mediaPrefix } from '../tasks/encode-task.ts';

/** Returns the key of an upload's original: `{libraryId}/{mediaId}/source/{uploadId}`. */
export function sourceKeyOf(key: MediaKey, uploadId: Guid): StorageKey {
  // Built only from ids, in the format that the storage port defines for originals.
  return `${mediaPrefix(key)}source/${uploadId}` as StorageKey;
}
