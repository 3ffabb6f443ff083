import { Readable } from 'node:stream';
import type { MediaKey } from '../../catalog/db.ts';
import { LeaseLost } from '../../catalog/leases/lease-lost.ts';
import { reserved, reserveGrowing } from '../../catalog/quotas/storage-quota-store.ts';
import {
  claimFetch,
  type FetchClaim,
  isFetchOpen,
  notingFailure,
  postponeFetch,
  releaseFetch,
  rememberStaged,
  renewFetch,
  type SegmentProgress,
} from '../../catalog/uploads/fetch-store.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import { givingUp, type UploadRef } from '../../catalog/uploads/upload-store.ts';
import { failUpload } from '../../catalog/videos/video.ts';
import { createVideoStore } from '../../catalog/videos/video-store.ts';
import { WebhookStatus } from '../../catalog/webhooks/webhook.ts';
import { announce } from '../../catalog/webhooks/webhook-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { type DownloadLimits, type DownloadSink, download } from '../../lib/outbound/download.ts';
import { paceBody } from '../../lib/outbound/pace-body.ts';
import { Refused } from '../../lib/refused.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { underLease, untilFree } from '../queue/hold-lease.ts';
import { postponementOf } from '../queue/postponement.ts';
import { completeUpload } from './complete-upload.ts';
import { dropUpload } from './drop-upload.ts';
import { fetchPlaylist } from './fetch-playlist.ts';

/** Maximum size of a fetched file in bytes. */
export const MAX_FETCH_BYTES = 1e12;

const HOUR_MS = 3_600_000;

const USUAL_LIMITS: DownloadLimits = {
  maxBytes: MAX_FETCH_BYTES,
  timeoutMs: 20 * HOUR_MS,
  idleTimeoutMs: 20_000,
  minBytesPerSec: 1024,
  maxFailures: 6,
  backoffMs: 1_000,
};

/** A requested fetch. Its URL and headers are sealed in the upload's row. */
export type FetchRef = MediaKey & { uploadId: Guid };

/**
 * Downloads a file from its origin into the staging area and makes it its video's original. A worker that takes over
 * from a dead one continues at the last staged byte. If the origin or the outbound rules refuse the request, the video
 * becomes `upload-failed`, with the reason in its messages. Deleting the video stops the job within a second or two and
 * removes its staged bytes.
 */
export const fetchVideo = defineJob<FetchRef, JobDeps>({
  name: 'fetch-video',
  queue: 'fetch',
  retryLimit: 5,
  async run({ uploadId, ...key }, deps, signal) {
    const ref: UploadRef = { id: uploadId, key };
    const answer = await untilFree(() => claimFetch(deps.db, uploadId, deps.owner, deps.secretBox), signal);
    if (answer.kind === 'worn-out')
      throw new Refused('unavailable', 'The worker crashed on every attempt to fetch the file.');
    if (answer.kind === 'over') return dropIfGone(ref, deps);
    const { claim } = answer;
    const host = URL.parse(claim.request.url)?.host ?? null;
    if (claim.attempt === 1)
      logEvent('upload.begun', { kind: 'fetch', videoGuid: key.mediaId, libraryId: key.libraryId, uploadId, host });
    try {
      await underLease(
        () => renewFetch(deps.db, claim),
        (lease) => fetchSource(claim, deps, lease),
        signal,
      );
    } catch (error) {
      if (error instanceof LeaseLost) return dropIfGone(ref, deps);
      const postponement = postponementOf(error);
      if (postponement !== null) await postponeFetch(deps.db, claim, postponement);
      else if (!(error instanceof Refused)) await releaseFetch(deps.db, claim);
      throw error;
    }
  },
  async giveUp({ uploadId, ...key }, deps, reason) {
    await giveUpFetch({ id: uploadId, key }, deps, reason);
  },
});

async function fetchSource(claim: FetchClaim, deps: JobDeps, signal: AbortSignal): Promise<void> {
  const { ref, version } = claim;
  const { maxBytesPerSec = null, isPlaylist = false, ...request } = claim.request;
  const sink = stagingSink(ref, maxBytesPerSec, deps);
  // After a crash between storing the object and committing its row, staging is empty and the object has all bytes.
  const isStored = (await deps.storage.head(sourceKeyOf(ref.key, ref.id))) !== null;
  if (!isStored && isPlaylist) {
    const limits = { ...USUAL_LIMITS, ...deps.fetchLimits };
    const memory = {
      progress: claim.segments,
      remember: (segments: SegmentProgress) => noteStaged(claim, { segments }, deps),
    };
    await fetchPlaylist({ outbound: deps.outbound, ...request, sink, limits, memory }, signal);
  } else if (!isStored) {
    await download(
      {
        outbound: deps.outbound,
        ...request,
        sink,
        limits: { ...USUAL_LIMITS, ...deps.fetchLimits },
        memory: {
          version,
          remember: (next) => noteStaged(claim, { version: next }, deps),
        },
      },
      signal,
    );
  }
  // An empty staging area cannot become an object, and the upload must stay open until its failure is recorded.
  if (!isStored && (await sink.size()) === 0) throw new Refused('invalid', 'The origin sent an empty file.');
  await completeUpload({ ...ref, sha256: null }, deps, signal);
}

async function noteStaged(
  claim: FetchClaim,
  staged: Parameters<typeof rememberStaged>[2],
  { db }: JobDeps,
): Promise<void> {
  if (!(await rememberStaged(db, claim, staged))) throw new LeaseLost();
}

// Use `abort` instead of `rewind`, because a fenced writer may still have the file of the old bytes open.
function stagingSink({ id, key }: UploadRef, maxBytesPerSec: number | null, deps: JobDeps): DownloadSink {
  const { staging } = deps.storage;
  const reserve = reserveGrowing(deps.db, { libraryId: key.libraryId, uploadId: id });
  return {
    size: () => staging.size(id),
    async append(offset, body, signal) {
      try {
        const paced = maxBytesPerSec === null ? body : paceBody(body, maxBytesPerSec, signal);
        const allowed = Readable.from(reserved(paced, offset, reserve), { objectMode: false });
        return await staging.append(id, offset, allowed, signal);
      } catch (error) {
        // A worker with an expired lease was still writing. This must be retried, so it must not be a refusal.
        if (!(error instanceof Refused) || error.kind !== 'conflict') throw error;
        throw new Error(`Expected no concurrent append to upload ${id}, but another worker is still writing.`, {
          cause: error,
        });
      }
    },
    reset: () => staging.abort(id),
  };
}

/** Removes the bytes that this worker staged if the upload was deleted with its video. */
async function dropIfGone(ref: UploadRef, deps: JobDeps): Promise<void> {
  if (!(await isFetchOpen(deps.db, ref.id))) await dropUpload(ref, deps);
}

async function giveUpFetch(ref: UploadRef, deps: JobDeps, reason: string): Promise<void> {
  try {
    await createVideoStore(deps.db).change(
      ref.key,
      (video) => failUpload(video, reason),
      givingUp(ref.id),
      notingFailure(ref.key, reason),
      announce(ref.key, WebhookStatus.failed),
    );
  } catch (error) {
    // The video was deleted, or this failure was recorded before. The remaining steps are the same.
    if (!(error instanceof Refused) || error.kind !== 'not-found') throw error;
  }
  await dropUpload(ref, deps);
}
