import type { Db } from '../../catalog/db.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
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
import type { Staging, Storage } from '../../ports/storage.ts';
import { defineJob, type Queue } from '../queue/define-job.ts';
import { fetchVideo } from '../uploads/fetch-video.ts';
import { pastFailures } from './past-failures.ts';
import { runSteps, type StepDeps } from './run-steps.ts';

/** A door is there before its first byte; the grace is for bytes whose door goes this very moment. */
const ORPHAN_AGE_MS = 60_000;
const LOOKED_UP_AT_ONCE = 500;
const MOST_ORPHANS = 10_000;

type Deps = StepDeps & { db: Db; storage: Storage; queue: Queue };

const STEPS = [resendFetches, dropDead, dropOrphans];

/**
 * Cleans up after uploads, whatever their door: those whose process died, that nobody went on with, or whose video
 * is gone lose their bytes, staged or stored, and then their door; fetches whose job was lost are sent again.
 * What fails keeps nothing else from being done, and is told at the end. Made to run each minute; doing it at any time,
 * and twice, is harmless.
 */
export const sweepUploads = defineJob<object, Deps>({
  name: 'sweep-uploads',
  lane: 'housekeeping',
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

/** Staged bytes without a door: their video was deleted, and the door with it. A bounded number, in any order. */
async function dropOrphans({ db, storage }: Deps, signal: AbortSignal): Promise<void> {
  const orphans: string[] = [];
  for await (const id of listOrphans(db, storage.staging, signal)) {
    orphans.push(id);
    if (orphans.length === MOST_ORPHANS) break;
  }
  const drop = (id: string) => unlessAborted(storage.staging.abort(id), signal);
  await pastFailures(shuffled(orphans), drop, signal);
}

async function* listOrphans(db: Db, staging: Staging, signal: AbortSignal): AsyncGenerator<string, void> {
  let ids: string[] = [];
  for await (const { id, modifiedAt } of staging.list(signal)) {
    if (Date.now() - modifiedAt.getTime() > ORPHAN_AGE_MS) ids.push(id);
    if (ids.length < LOOKED_UP_AT_ONCE) continue;
    yield* await withoutDoor(db, ids);
    ids = [];
  }
  yield* await withoutDoor(db, ids);
}

async function withoutDoor(db: Db, ids: readonly string[]): Promise<string[]> {
  const known = await findUploads(db, ids);
  return ids.filter((id) => !known.has(id));
}

async function resendFetches({ db, queue }: Deps): Promise<void> {
  const idle = await findIdleFetches(db);
  await inTransaction(db, async (tx) => {
    for (const { id, key } of idle) await queue.send(fetchVideo, { ...key, uploadId: id }, { onlyOneNamed: id })(tx);
  });
}
