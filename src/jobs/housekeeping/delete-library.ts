import { inTransaction } from '../../catalog/in-transaction.ts';
import { imagePrefix, LIBRARY_IMAGES } from '../../catalog/libraries/library-image.ts';
import {
  dropLibraryRow,
  dropMediaOf,
  findMediaOf,
  isRemovedLibrary,
} from '../../catalog/libraries/remove-library-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';

/** Delay in seconds after which no request writes for a deleted library any more. */
const SECOND_LOOK_SEC = 15;

/** `isSecondLook` is only set by the job itself. */
export type DeletedLibrary = { libraryId: number; isSecondLook?: boolean };

/**
 * Deletes the media of a removed library, a hundred at a time: objects, then rows, then its images. Deletes nothing
 * else under `{libraryId}/`, because a restored database reuses library ids and other objects may not belong to this
 * library. Objects that a worker was writing are deleted like all orphans. Looks for images a second time, then deletes
 * the record of the removed library. Does nothing if the library was not removed.
 */
export const deleteLibrary = defineJob<DeletedLibrary, JobDeps>({
  name: 'delete-library',
  queue: 'housekeeping',
  retryLimit: 100,
  async run({ libraryId, isSecondLook }, { db, storage, queue }, signal) {
    if (!(await isRemovedLibrary(db, libraryId))) return;
    for (;;) {
      const media = await findMediaOf(db, libraryId);
      if (media.length === 0) break;
      for (const mediaId of media) await storage.deletePrefix(mediaPrefix({ libraryId, mediaId }), signal);
      await dropMediaOf(db, libraryId, media);
    }
    for (const picture of LIBRARY_IMAGES) await storage.deletePrefix(imagePrefix(libraryId, picture), signal);
    if (isSecondLook === true) {
      await dropLibraryRow(db, libraryId);
      return;
    }
    const secondLook = queue.send(deleteLibrary, { libraryId, isSecondLook: true }, { delaySec: SECOND_LOOK_SEC });
    await inTransaction(db, secondLook);
  },
});
