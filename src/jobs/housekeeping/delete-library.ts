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

/** After this long no request still writes for a library that is gone. */
const SECOND_LOOK_SEC = 15;

/** `isSecondLook` is set by the job itself. */
export type DeletedLibrary = { libraryId: number; isSecondLook?: boolean };

/**
 * Deletes the media of a removed library, a hundred at a time: their objects, then their rows; and its pictures.
 * Nothing else under `{libraryId}/` is its own for certain, since ids of libraries come again in a database that was
 * restored: what a worker was just writing goes as all orphans do. Looks a second time for pictures, and forgets the
 * library then. A library that was not removed is left alone.
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
