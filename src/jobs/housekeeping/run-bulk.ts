import type { BulkKind } from '../../catalog/bulk/bulk-operation.ts';
import { type BulkItem, type BulkKey, createBulkStore, settleItem } from '../../catalog/bulk/bulk-store.ts';
import type { FollowUp, MediaKey } from '../../catalog/db.ts';
import { CommitInDoubt, inTransaction } from '../../catalog/in-transaction.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { createRetryStore } from '../../catalog/lifecycle/retry-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { createTrashStore } from '../../catalog/videos/trash-store.ts';
import { editVideo, requestReencode } from '../../catalog/videos/video.ts';
import { createVideoStore } from '../../catalog/videos/video-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { JobDeps } from '../job-deps.ts';
import { planRetry } from '../planning/plan-retry.ts';
import { processVideo } from '../planning/process-video.ts';
import { defineJob } from '../queue/define-job.ts';
import { deleteMedia } from './delete-media.ts';

const ITEMS_AT_ONCE = 100;
/** A run ends after this and sends its successor, so that operations of others have their turn. */
const RUN_MS = 20_000;
/** What the report says of a video that failed by no fault of the caller. */
const UNEXPECTED = 'An unexpected error, which the log names. Try this video again.';

/**
 * Does a bulk operation, video by video: what one refuses, or fails by, is noted in the report and keeps no other from being done. Killed at
 * any time, it goes on with the first video without an outcome; doing it twice changes nothing.
 */
export const runBulk = defineJob<BulkKey, JobDeps>({
  name: 'run-bulk',
  queue: 'housekeeping',
  retryLimit: 20,
  async run(payload, deps, signal) {
    const key: BulkKey = { libraryId: payload.libraryId, bulkId: payload.bulkId };
    const bulks = createBulkStore(deps.db);
    const until = Date.now() + RUN_MS;
    for (;;) {
      const operation = await bulks.open(key, ITEMS_AT_ONCE);
      if (operation === null || operation.items.length === 0) return;
      for (const item of operation.items) {
        signal.throwIfAborted();
        await doOne({ ...key, ...operation }, item, deps);
      }
      if (Date.now() > until) break;
    }
    await inTransaction(deps.db, deps.queue.send(runBulk, key));
  },
  async giveUp({ libraryId, bulkId }, { db }, reason) {
    try {
      await createBulkStore(db).end({ libraryId, bulkId }, `The operation was given up: ${reason}`);
    } catch (error) {
      // Gone, with its library or by its age.
      if (!(error instanceof Refused)) throw error;
    }
  },
});

/** The video got its outcome meanwhile, of an undo or a second delivery: the change is rolled back. */
class SettledBefore extends Error {}

type Running = BulkKey & { kind: BulkKind; collectionId: Guid | null };

async function doOne(operation: Running, { place, mediaId }: BulkItem, deps: JobDeps): Promise<void> {
  const key = { libraryId: operation.libraryId, mediaId };
  // In the transaction of the change: an operation that was done is never counted as undone, nor done twice.
  const settle: FollowUp = async (tx) => {
    if (!(await settleItem(tx, operation.bulkId, place, null))) throw new SettledBefore();
  };
  try {
    await apply(operation, { key, settle }, deps);
    // What changed nothing has not settled itself.
    await settleItem(deps.db, operation.bulkId, place, null);
  } catch (error) {
    if (error instanceof SettledBefore) return;
    if (error instanceof CommitInDoubt || isDatabaseAway(error)) throw error;
    if (!(error instanceof Refused)) {
      deps.report(new Error(`Video ${mediaId} of bulk operation ${operation.bulkId} failed.`, { cause: error }));
    }
    await settleItem(deps.db, operation.bulkId, place, error instanceof Refused ? error.message : UNEXPECTED);
  }
}

type Target = { key: MediaKey; settle: FollowUp };

async function apply({ kind, collectionId }: Running, { key, settle }: Target, { db, queue }: JobDeps): Promise<void> {
  const videos = createVideoStore(db);
  const trash = createTrashStore(db);
  const dropObjects = queue.send(deleteMedia, { ...key, prefix: mediaPrefix(key) });
  switch (kind) {
    case 'move':
      await videos.change(key, (video) => editVideo(video, { collectionId }), settle);
      return;
    case 'trash':
      await trash.put(key, settle);
      return;
    case 'restore':
      await trash.restore(key, settle);
      return;
    case 'delete':
      await deleteForGood(key, [dropObjects, settle], db);
      return;
    case 'reencode':
      await reencode(videos, { key, settle }, queue);
      return;
    case 'retry':
      if ((await videos.load(key)).state === 'failed') await reencode(videos, { key, settle }, queue);
      else await createRetryStore(db).retry(key, null, planRetry, settle);
  }
}

/** Deletes a video, in the trash or not. */
async function deleteForGood(key: MediaKey, followUps: readonly FollowUp[], db: JobDeps['db']): Promise<void> {
  try {
    await createVideoStore(db).remove(key, ...followUps);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await createTrashStore(db).remove(key, ...followUps);
  }
}

async function reencode(
  videos: ReturnType<typeof createVideoStore>,
  { key, settle }: Target,
  queue: JobDeps['queue'],
): Promise<void> {
  await videos.change(key, requestReencode, queue.send(processVideo, key), announce(key, WebhookStatus.queued), settle);
}
