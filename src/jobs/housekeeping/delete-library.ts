import { inTransaction } from '../../catalog/in-transaction.ts';
import { dropLibraryRow, dropMediaOf, isRemovedLibrary } from '../../catalog/libraries/remove-library-store.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';

/** After this long no request or worker still writes for a library that is gone. */
const SECOND_LOOK_SEC = 15;

/** `isSecondLook` is set by the job itself. */
export type DeletedLibrary = { libraryId: number; isSecondLook?: boolean };

/**
 * Deletes the media of a removed library, a hundred rows at a time, then all objects under `{libraryId}/`.
 * Looks a second time for what was just being written, and forgets the library then. A library that was
 * not removed is left alone.
 */
export const deleteLibrary = defineJob<DeletedLibrary, JobDeps>({
  name: 'delete-library',
  lane: 'housekeeping',
  retryLimit: 100,
  async run({ libraryId, isSecondLook }, { db, storage, queue }, signal) {
    if (!(await isRemovedLibrary(db, libraryId))) return;
    while ((await dropMediaOf(db, libraryId)) > 0) signal.throwIfAborted();
    await storage.deletePrefix(`${libraryId}/`, signal);
    if (isSecondLook === true) {
      await dropLibraryRow(db, libraryId);
      return;
    }
    const secondLook = queue.send(deleteLibrary, { libraryId, isSecondLook: true }, { delaySec: SECOND_LOOK_SEC });
    await inTransaction(db, secondLook);
  },
});
