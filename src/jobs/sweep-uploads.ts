import type { Db } from '../catalog/db.ts';
import { sourceKeyOf } from '../catalog/uploads/source-key.ts';
import { findIdleFetches, findUploads, takeDeadUploads } from '../catalog/uploads/sweep-upload-store.ts';
import { forgetUpload } from '../catalog/uploads/upload-store.ts';
import type { Storage } from '../ports/storage.ts';
import { defineJob, type Queue } from './define-job.ts';
import { fetchVideo } from './fetch-video.ts';

/** A door is there before its first byte; the grace is for bytes whose door goes this very moment. */
const ORPHAN_AGE_MS = 60_000;
const LOOKED_UP_AT_ONCE = 500;

type Deps = { db: Db; storage: Storage; queue: Queue };

/**
 * Cleans up after uploads, whatever their door: those whose process died, that nobody went on with, or whose video
 * is gone lose their bytes, staged or stored, and then their door; fetches whose job was lost are sent again.
 * Made to run each minute; doing it at any time, and twice, is harmless.
 */
export const sweepUploads = defineJob<object, Deps>({
  name: 'sweep-uploads',
  lane: 'quick',
  retryLimit: 0,
  cron: '* * * * *',
  async run(_, deps, signal) {
    await dropDead(deps, signal);
    await dropOrphans(deps, signal);
    await resendFetches(deps);
  },
});

async function dropDead({ db, storage }: Deps, signal: AbortSignal): Promise<void> {
  for (const { id, key, isSource } of await takeDeadUploads(db)) {
    signal.throwIfAborted();
    await storage.staging.abort(id);
    if (!isSource) await storage.delete([sourceKeyOf(key, id)]);
    await forgetUpload(db, id);
  }
}

/** Staged bytes without a door: their video was deleted, and the door with it. */
async function dropOrphans({ db, storage }: Deps, signal: AbortSignal): Promise<void> {
  let ids: string[] = [];
  const dropBatch = async () => {
    const known = await findUploads(db, ids);
    for (const id of ids) if (!known.has(id)) await storage.staging.abort(id);
    ids = [];
  };
  for await (const { id, modifiedAt } of storage.staging.list(signal)) {
    if (Date.now() - modifiedAt.getTime() > ORPHAN_AGE_MS) ids.push(id);
    if (ids.length === LOOKED_UP_AT_ONCE) await dropBatch();
  }
  await dropBatch();
}

async function resendFetches({ db, queue }: Deps): Promise<void> {
  const idle = await findIdleFetches(db);
  await db.transaction().execute(async (tx) => {
    for (const { id, key } of idle) await queue.send(fetchVideo, { ...key, uploadId: id }, { onlyOneNamed: id })(tx);
  });
}
