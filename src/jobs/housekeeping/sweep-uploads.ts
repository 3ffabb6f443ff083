import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { findListed, listOrphans, type Orphan } from '../../catalog/orphans/orphan-store.ts';
import { sourceKeyOf } from '../../catalog/uploads/source-key.ts';
import {
  type DeadUpload,
  findIdleFetches,
  findUploads,
  takeDeadUploads,
} from '../../catalog/uploads/sweep-upload-store.ts';
import { forgetUpload } from '../../catalog/uploads/upload-store.ts';
import { shuffled } from '../../lib/shuffled.ts';
import { unlessAborted } from '../../lib/unless-aborted.ts';
import type { Staging } from '../../ports/storage.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { pastFailures } from '../store/past-failures.ts';
import { whenOurs } from '../store/when-ours.ts';
import { fetchVideo } from '../uploads/fetch-video.ts';
import { runSteps, type StepDeps } from './run-steps.ts';

/**
 * Minimum age of orphaned bytes, in ms. An upload's row exists before its first byte, so this only covers an upload
 * that is just ending.
 */
const ORPHAN_AGE_MS = 60_000;
const LOOKED_UP_AT_ONCE = 500;

type Deps = StepDeps & Pick<JobDeps, 'db' | 'storage' | 'store' | 'queue' | 'orphanAgeMs'>;

const STEPS = [resendFetches, whenOurs(dropDead), whenOurs(findOrphans)];

/**
 * Cleans up after uploads of any method. Deletes the bytes, staged or stored, and then the row of uploads whose process
 * died, that were not continued, or whose video was deleted. Quarantines staged bytes without an upload. Enqueues
 * fetches whose job was lost. A failure does not stop the other steps and is reported at the end. Runs every minute.
 * Idempotent.
 */
export const sweepUploads = defineJob<object, Deps>({
  name: 'sweep-uploads',
  queue: 'housekeeping',
  retryLimit: 0,
  cron: '* * * * *',
  run: (_, deps, signal) => runSteps(STEPS, deps, signal),
});

async function dropDead({ db, storage }: Deps, signal: AbortSignal): Promise<void> {
  const drop = async ({ id, key, isSource }: DeadUpload) => {
    await unlessAborted(storage.staging.abort(id), signal);
    if (!isSource) await unlessAborted(storage.delete([sourceKeyOf(key, id)]), signal);
    await forgetUpload(db, id);
  };
  await pastFailures(shuffled(await takeDeadUploads(db)), drop, signal);
}

/** Lists staged bytes whose upload was deleted together with its video. They are deleted like all orphans. */
async function findOrphans({ db, storage: { staging }, orphanAgeMs }: Deps, signal: AbortSignal): Promise<void> {
  const oldest = Date.now() - (orphanAgeMs ?? ORPHAN_AGE_MS);
  let some: Staged[] = [];
  for await (const staged of staging.list(signal)) {
    if (staged.modifiedAt.getTime() <= oldest) some.push(staged);
    if (some.length < LOOKED_UP_AT_ONCE) continue;
    await listWithoutUpload({ db, staging }, some, signal);
    some = [];
  }
  await listWithoutUpload({ db, staging }, some, signal);
}

type Staged = { id: string; modifiedAt: Date };

async function listWithoutUpload(
  { db, staging }: { db: Db; staging: Staging },
  some: readonly Staged[],
  signal: AbortSignal,
): Promise<void> {
  const ids = some.map(({ id }) => id);
  const known = new Set([...(await findUploads(db, ids)), ...(await findListed(db, 'upload', ids))]);
  const orphans: Orphan[] = [];
  for (const { id, modifiedAt } of some.filter(({ id }) => !known.has(id))) {
    const sizeBytes = await unlessAborted(staging.size(id), signal);
    orphans.push({ kind: 'upload', name: id, sizeBytes, modifiedAt });
  }
  await listOrphans(db, orphans);
}

async function resendFetches({ db, queue }: Deps): Promise<void> {
  const idle = await findIdleFetches(db);
  await inTransaction(db, async (tx) => {
    for (const { id, key } of idle) await queue.send(fetchVideo, { ...key, uploadId: id }, { onlyOneNamed: id })(tx);
  });
}
