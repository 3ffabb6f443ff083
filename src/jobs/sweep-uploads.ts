import type { Db } from '../catalog/db.ts';
import { type AbandonedPut, createUploadStore } from '../catalog/uploads/upload-store.ts';
import type { Storage, StorageKey } from '../ports/storage.ts';
import { defineJob } from './define-job.ts';

type Deps = { db: Db; storage: Storage };

/**
 * Cleans up after uploads by PUT whose process died: removes the bytes that no video names as its original,
 * then closes the door. Runs each minute; a hundred doors at most each time.
 */
export const sweepUploads = defineJob<Record<string, never>, Deps>({
  name: 'sweep-uploads',
  lane: 'quick',
  retryLimit: 0,
  cron: '* * * * *',
  async run(_payload, { db, storage }, signal) {
    const uploads = createUploadStore(db);
    for (const put of await uploads.takeAbandonedPuts()) {
      signal.throwIfAborted();
      if (!put.isSource) await storage.delete([objectOf(put)]);
      await uploads.close(put.id);
    }
  },
});

function objectOf({ libraryId, mediaId, id }: AbandonedPut): StorageKey {
  // Made of ids alone, as the upload that left it made it.
  return `${libraryId}/${mediaId}/source/${id}` as StorageKey;
}
