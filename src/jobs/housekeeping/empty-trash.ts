import type { MediaKey } from '../../catalog/db.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { createTrashStore } from '../../catalog/videos/trash-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { pastFailures } from '../store/past-failures.ts';
import { deleteMedia } from './delete-media.ts';

/** Deletes videos that have been in the trash for a week. Runs every 15 minutes. Idempotent. */
export const emptyTrash = defineJob<object, JobDeps>({
  name: 'empty-trash',
  queue: 'housekeeping',
  retryLimit: 0,
  cron: '*/15 * * * *',
  async run(_, { db, queue }, signal) {
    const trash = createTrashStore(db);
    const removeOne = async (key: MediaKey) => {
      try {
        await trash.removeExpired(key, queue.send(deleteMedia, { ...key, prefix: mediaPrefix(key) }));
      } catch (error) {
        // The video was restored, trashed again or deleted in the meantime.
        if (!(error instanceof Refused)) throw error;
      }
    };
    await pastFailures(await trash.findExpired(), removeOne, signal);
  },
});
