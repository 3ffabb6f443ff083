import {
  type BulkAct,
  type BulkBefore,
  type BulkItem,
  type BulkKey,
  createBulkStore,
  finalizeItem,
} from '../../catalog/bulk/bulk-store.ts';
import type { FollowUp, MediaKey } from '../../catalog/db.ts';
import { CommitInDoubt, inTransaction } from '../../catalog/in-transaction.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { cancelEncode } from '../../catalog/lifecycle/cancel-store.ts';
import { createRetryStore } from '../../catalog/lifecycle/retry-store.ts';
import { loadSpeechSource } from '../../catalog/speech/speech-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { createTrashStore } from '../../catalog/videos/trash-store.ts';
import { editVideo, requestReencode, type Video, type VideoEdit } from '../../catalog/videos/video.ts';
import { createVideoStore } from '../../catalog/videos/video-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { JobDeps } from '../job-deps.ts';
import { planRetry } from '../planning/plan-retry.ts';
import { processVideo } from '../planning/process-video.ts';
import { defineJob } from '../queue/define-job.ts';
import { requestTranscription } from '../speech/transcribe-video.ts';
import { deleteMedia } from './delete-media.ts';

const ITEMS_AT_ONCE = 100;
/** Maximum time of a run, in ms. The run then enqueues the next one, so that other operations get a turn. */
const RUN_MS = 20_000;
/** Failure reason in the report for a video whose failure was not the caller's fault. */
const UNEXPECTED = 'Unexpected error. See the log, and try this video again.';

/**
 * Performs a bulk operation video by video. Records refusals and failures in the report and continues. After a crash,
 * it resumes with the first video without an outcome. Repeating it changes nothing.
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
      await createBulkStore(db).end({ libraryId, bulkId }, `The operation was abandoned: ${reason}`);
    } catch (error) {
      // The operation was deleted with its library or because of its age.
      if (!(error instanceof Refused)) throw error;
    }
  },
});

/**
 * Thrown to roll back a change if an undo, or another run of the same job, has recorded an outcome for the video in the
 * meantime.
 */
class FinalizedBefore extends Error {}

type Running = BulkKey & BulkAct;

async function doOne(operation: Running, item: BulkItem, deps: JobDeps): Promise<void> {
  const { place, mediaId } = item;
  const key = { libraryId: operation.libraryId, mediaId };
  let before: BulkBefore = { collectionBefore: null, visibilityBefore: null };
  const noteBefore = ({ collectionId, visibility }: Pick<Video, 'collectionId' | 'visibility'>) => {
    before = { collectionBefore: collectionId, visibilityBefore: visibility };
  };
  // Runs in the transaction of the change, so that a finished operation is never undone or performed twice.
  const finalize: FollowUp = async (tx) => {
    if (!(await finalizeItem(tx, operation.bulkId, place, { reason: null, ...before }))) throw new FinalizedBefore();
  };
  try {
    await apply(operation, { key, finalize, item, noteBefore }, deps);
    // If the video did not change, the transaction recorded no outcome.
    await finalizeItem(deps.db, operation.bulkId, place, { reason: null, ...before });
  } catch (error) {
    if (error instanceof FinalizedBefore) return;
    if (error instanceof CommitInDoubt || isDatabaseAway(error)) throw error;
    if (!(error instanceof Refused)) {
      deps.report(new Error(`Video ${mediaId} of bulk operation ${operation.bulkId} failed.`, { cause: error }));
    }
    const reason = error instanceof Refused ? error.message : UNEXPECTED;
    await finalizeItem(deps.db, operation.bulkId, place, { reason });
  }
}

/** `item` has what an undo restores. `noteBefore` records what an action changes. */
type Target = {
  key: MediaKey;
  finalize: FollowUp;
  item: BulkBefore;
  noteBefore: (video: Pick<Video, 'collectionId' | 'visibility'>) => void;
};

async function apply(operation: Running, target: Target, { db, queue }: JobDeps): Promise<void> {
  const { kind, collectionId, visibility, undoes } = operation;
  const { key, finalize, item } = target;
  const videos = createVideoStore(db);
  const trash = createTrashStore(db);
  const dropObjects = queue.send(deleteMedia, { ...key, prefix: mediaPrefix(key) });
  switch (kind) {
    case 'move':
      await edit(videos, { collectionId }, target);
      return;
    case 'visibility':
      if (visibility !== null) await edit(videos, { visibility }, target);
      return;
    case 'trash':
      await trash.put(key, finalize);
      return;
    case 'restore':
      if (undoes === 'move') await edit(videos, { collectionId: item.collectionBefore }, target);
      else if (undoes === 'visibility') {
        if (item.visibilityBefore !== null) await edit(videos, { visibility: item.visibilityBefore }, target);
      } else await trash.restore(key, finalize);
      return;
    case 'delete':
      await deleteForGood(key, [dropObjects, finalize], db);
      return;
    case 'reencode':
      await reencode(videos, { key, finalize }, queue);
      return;
    case 'retry':
      if ((await videos.load(key)).state === 'failed') await reencode(videos, { key, finalize }, queue);
      else await createRetryStore(db).retry(key, null, planRetry, finalize);
      return;
    case 'cancel':
      await inTransaction(db, async (tx) => {
        await cancelEncode(tx, key);
        await finalize(tx);
      });
      return;
    case 'transcribe':
      await transcribe(target, { db, queue });
  }
}

async function edit(
  videos: ReturnType<typeof createVideoStore>,
  change: Pick<VideoEdit, 'collectionId' | 'visibility'>,
  { key, finalize, noteBefore }: Target,
): Promise<void> {
  await videos.change(
    key,
    (video) => {
      noteBefore(video);
      return editVideo(video, change);
    },
    finalize,
  );
}

/** Requests a transcription. It does not replace captions written by people. */
async function transcribe({ key, finalize }: Target, { db, queue }: Pick<JobDeps, 'db' | 'queue'>): Promise<void> {
  const { state, captions } = await loadSpeechSource(db, key);
  if (state === 'created' || state === 'upload-failed') {
    throw new Refused('invalid', 'The video has no file yet. Upload it first.');
  }
  if (captions.length > 0) return;
  const wanted = { ...key, language: null, force: false, targets: [] };
  await inTransaction(db, async (tx) => {
    await requestTranscription(queue, wanted)(tx);
    await finalize(tx);
  });
}

/** Deletes a video permanently, whether or not it is in the trash. */
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
  { key, finalize }: Pick<Target, 'key' | 'finalize'>,
  queue: JobDeps['queue'],
): Promise<void> {
  await videos.change(
    key,
    requestReencode,
    queue.send(processVideo, key),
    announce(key, WebhookStatus.queued),
    finalize,
  );
}
