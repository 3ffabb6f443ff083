import type { MediaKey } from '../../catalog/db.ts';
import { forgetRetiredPackages } from '../../catalog/drm/drm-package-store.ts';
import { findWithoutImages, planImages } from '../../catalog/images/plan-images-store.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import {
  dropRetired,
  finalizeStuck,
  findRetired,
  findStuck,
  findUnplanned,
  type RetiredRendition,
} from '../../catalog/lifecycle/sweep-store.ts';
import { dropUnrecorded, sealAbandoned } from '../../catalog/live/recording/seal-store.ts';
import { forgetStills } from '../../catalog/live/viewing/still-store.ts';
import { forgetEnded } from '../../catalog/on-demand/segment-task-store.ts';
import { sumStorage } from '../../catalog/renditions/storage-store.ts';
import { findRetiredObjects, forgetRetiredObjects, type RetiredObjects } from '../../catalog/retired-object-store.ts';
import { mediaPrefix } from '../../catalog/tasks/encode-task.ts';
import { restoreShares } from '../../catalog/tasks/task-store.ts';
import { findUnkeptOriginals, retireUnkeptOriginal } from '../../catalog/videos/original-store.ts';
import type { Guid } from '../../lib/guid.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { resendExports } from '../exports/run-export.ts';
import { resendImports } from '../imports/run-import.ts';
import type { JobDeps } from '../job-deps.ts';
import { completeRecordings } from '../planning/complete-recordings.ts';
import { processVideo } from '../planning/process-video.ts';
import { defineJob } from '../queue/define-job.ts';
import { deleteObjects } from '../store/delete-objects.ts';
import { dropOrphans } from '../store/drop-orphans.ts';
import { findOrphans } from '../store/find-orphans.ts';
import { pastFailures } from '../store/past-failures.ts';
import { whenOurs } from '../store/when-ours.ts';
import { deleteMedia } from './delete-media.ts';
import { runSteps } from './run-steps.ts';

const RETIRED_GRACE_SEC = 24 * 3600;

const STEPS: readonly ((deps: JobDeps, signal: AbortSignal) => Promise<void>)[] = [
  resendLost,
  resendImports,
  resendExports,
  endStuck,
  imageOthers,
  retireOriginals,
  ({ db }) => forgetEnded(db),
  ({ db }) => sealAbandoned(db),
  dropUnrecordedStreams,
  ({ db }) => forgetStills(db),
  completeRecordings,
  ({ db }) => forgetRetiredPackages(db),
  ...[dropRetiredRenditions, dropRetiredObjects, findOrphans, dropOrphans].map(whenOurs),
];

/**
 * Cleans up after crashed processes. Enqueues work that lost its owner, fails videos that have no work left, and
 * deletes retired renditions, originals that are not kept and, after their quarantine, objects without a row. Deletes
 * nothing in a store that does not belong to this database. A failure does not stop the other steps and is reported at
 * the end. An unreachable store delays no step for long. Runs every minute. Idempotent.
 */
export const sweep = defineJob<object, JobDeps>({
  name: 'sweep',
  queue: 'housekeeping',
  retryLimit: 0,
  cron: '* * * * *',
  run: (_, deps, signal) => runSteps(STEPS, deps, signal),
});

/** Logs the items that a step found, if any. Returns them. */
function noteFound<Found extends readonly unknown[]>(kind: string, found: Found): Found {
  if (found.length > 0) logEvent('sweep.found', { kind, count: found.length });
  return found;
}

async function resendLost({ db, queue }: JobDeps): Promise<void> {
  await restoreShares(db);
  const unplanned = await findUnplanned(db);
  noteFound('videos without a job', unplanned);
  await inTransaction(db, async (tx) => {
    for (const key of unplanned) await queue.send(processVideo, key, { onlyOneNamed: key.mediaId })(tx);
  });
}

/** Deletes the media of unrecorded streams that ended a day ago. */
async function dropUnrecordedStreams({ db, queue }: JobDeps): Promise<void> {
  await inTransaction(db, async (tx) => {
    for (const key of await dropUnrecorded(tx)) {
      await queue.send(deleteMedia, { ...key, prefix: mediaPrefix(key) })(tx);
    }
  });
}

async function endStuck({ db }: JobDeps, signal: AbortSignal): Promise<void> {
  const end = (key: MediaKey) => inTransaction(db, (tx) => finalizeStuck(tx, key));
  await pastFailures(noteFound('videos without work', await findStuck(db)), end, signal);
}

/** Plans image tasks for finished videos without images. */
async function imageOthers({ db }: JobDeps, signal: AbortSignal): Promise<void> {
  const plan = ({ key, timelineId }: { key: MediaKey; timelineId: Guid }) =>
    inTransaction(db, async (tx) => void (await planImages(tx, key, timelineId)));
  await pastFailures(noteFound('videos without images', await findWithoutImages(db)), plan, signal);
}

async function retireOriginals({ db, retiredGraceSec }: JobDeps, signal: AbortSignal): Promise<void> {
  const retire = (key: MediaKey) => retireUnkeptOriginal(db, key, retiredGraceSec);
  await pastFailures(noteFound('originals to delete', await findUnkeptOriginals(db, retiredGraceSec)), retire, signal);
}

async function dropRetiredRenditions({ db, storage }: JobDeps, signal: AbortSignal): Promise<void> {
  const drop = async ({ objects, ...rendition }: RetiredRendition) => {
    const { failure } = await deleteObjects(storage, objects, signal);
    if (failure !== null) throw failure;
    await inTransaction(db, (tx) => dropRetired(tx, rendition));
  };
  await pastFailures(noteFound('replaced renditions', await findRetired(db, RETIRED_GRACE_SEC)), drop, signal);
}

/** Deletes objects that were replaced or removed longer ago than the grace time. */
async function dropRetiredObjects({ db, storage, retiredGraceSec }: JobDeps, signal: AbortSignal): Promise<void> {
  const retired = noteFound('videos with replaced objects', await findRetiredObjects(db, retiredGraceSec));
  const drop = async ({ key, objects, packed }: RetiredObjects) => {
    const { gone, failure } = await deleteObjects(storage, objects, signal);
    await inTransaction(db, async (tx) => {
      await forgetRetiredObjects(tx, key, [...gone, ...packed]);
      await sumStorage(tx, key);
    });
    if (failure !== null) throw failure;
  };
  await pastFailures(retired, drop, signal);
}
