import type { Db } from '../../catalog/db.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import { completing, type UploadRef } from '../../catalog/uploads/upload-store.ts';
import { hasSource, receiveSource, requireUploadable } from '../../catalog/videos/video.ts';
import { createVideoStore } from '../../catalog/videos/video-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import { Refused } from '../../lib/refused.ts';
import type { Storage } from '../../ports/storage.ts';
import { processVideo } from '../planning/process-video.ts';
import type { Queue } from '../queue/define-job.ts';
import { dropUpload } from './drop-upload.ts';
import { hashSource } from './hash-source.ts';

export type CompleteUploadDeps = { db: Db; storage: Storage; queue: Queue };

/** An upload whose bytes are all staged. `sha256` (32 raw bytes) is null if not all of them were hashed on arrival. */
export type StagedUpload = UploadRef & { sha256: Buffer | null };

/**
 * Makes the staged bytes the video's original, starts its processing and marks the upload as complete. May be repeated
 * after a crash at any point, even concurrently: the video gets its original exactly once. Throws `Refused`: `invalid`
 * if the video has got a different original, `not-found` if it was deleted. In both cases it removes the staged bytes.
 */
export async function completeUpload(
  upload: StagedUpload,
  deps: CompleteUploadDeps,
  signal: AbortSignal,
): Promise<void> {
  try {
    await giveToVideo(upload, deps, signal);
  } catch (error) {
    if (error instanceof Refused && (error.kind === 'invalid' || error.kind === 'not-found')) {
      await dropUpload(upload, deps);
    }
    throw error;
  }
}

async function giveToVideo(
  { id, key, sha256 }: StagedUpload,
  { db, storage, queue }: CompleteUploadDeps,
  signal: AbortSignal,
): Promise<void> {
  const videos = createVideoStore(db);
  const objectKey = sourceKeyOf(key, id);
  const before = await videos.load(key);
  if (hasSource(before, objectKey)) return;
  requireUploadable(before);
  const { sizeBytes } = await storage.staging.commit(id, objectKey, signal);
  if (sizeBytes === 0) throw new Refused('invalid', 'Expected the bytes of a video file, got an empty file.');
  const source = { key: objectKey, sizeBytes, sha256 };
  const hashing = sha256 === null ? [queue.send(hashSource, { ...key, sourceKey: objectKey })] : [];
  await videos.change(
    key,
    (video) => (hasSource(video, objectKey) ? video : receiveSource(video, source, video.uploadOptions)),
    completing(id),
    queue.send(processVideo, key),
    announce(key, WebhookStatus.queued),
    ...hashing,
  );
}
