import type { MediaKey } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { mediaExists } from '../../catalog/lifecycle/sweep-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';

/**
 * Delay in seconds after which no worker writes for a deleted video any more, because its lease and encode task have
 * ended.
 */
const SECOND_LOOK_SEC = 15;

/** `isSecondLook` is only set by the job itself. */
export type DeletedMedia = MediaKey & { prefix: string; isSecondLook?: boolean };

/**
 * Deletes all objects of a video whose rows are deleted. Its tasks lose their lease and stop within a second. Looks a
 * second time for objects that a worker was writing. Keeps the objects of a video that still exists.
 */
export const deleteMedia = defineJob<DeletedMedia, JobDeps>({
  name: 'delete-media',
  queue: 'housekeeping',
  retryLimit: 20,
  async run({ libraryId, mediaId, isSecondLook }, deps, signal) {
    const key = { libraryId, mediaId };
    if (await mediaExists(deps.db, key)) return;
    await deps.storage.deletePrefix(mediaPrefix(key), signal);
    if (isSecondLook === true) return;
    logEvent('video.deleted', { videoGuid: mediaId, libraryId });
    const again: DeletedMedia = { ...key, prefix: mediaPrefix(key), isSecondLook: true };
    const secondLook = deps.queue.send(deleteMedia, again, { delaySec: SECOND_LOOK_SEC });
    await inTransaction(deps.db, secondLook);
  },
});
