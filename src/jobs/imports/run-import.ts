import type { FollowUp } from '../../catalog/db.ts';
import { countOpen, nextItems, releaseUnsent, settleTransfers } from '../../catalog/imports/import-item-store.ts';
import {
  endImport,
  findActive,
  type OpenImport,
  openImport,
  passOn,
  savePage,
  saveRequest,
} from '../../catalog/imports/import-work-store.ts';
import type { ImportTick } from '../../catalog/imports/library-import.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { Refused } from '../../lib/refused.ts';
import type { JobDeps } from '../job-deps.ts';
import { defineJob } from '../queue/define-job.ts';
import { importItem, type RunningImport } from './import-item.ts';
import type { SourceRequest } from './import-source.ts';
import { createSourceClient, isTransient, SourceBusy } from './source-client.ts';
import { importSources } from './sources/all.ts';

/** Maximum time of a run, in ms. Its successor continues, so that other housekeeping gets its turn. */
const RUN_MS = 20_000;
/** Pause before the next look at files in transfer, in s. */
const TRANSFER_PAUSE_SEC = 1;
/** Time for which an import waits for uploads, in ms. */
const UPLOAD_LIMIT_MS = 7 * 24 * 3_600_000;

/**
 * Performs an import: lists the source page by page, then starts items up to the concurrency and records the outcomes
 * of their transfers. Each step is committed by itself, so that a crash repeats at most one. Each run sends its
 * successor with the next tick, which fences this one.
 */
export const runImport = defineJob<ImportTick, JobDeps>({
  name: 'run-import',
  queue: 'housekeeping',
  retryLimit: 20,
  async run({ libraryId, importId, tick }, deps, signal) {
    const opened = await openImport(deps.db, { libraryId, importId, tick }, deps.secretBox);
    if (opened === null) return;
    const client = createSourceClient(deps.outbound);
    const source = importSources[opened.source];
    // The creator of the import wrote the request in this form.
    const running = { source, client, request: opened.request as SourceRequest };
    try {
      const pauseSec = await advance(opened, { running, deps }, signal);
      if (pauseSec !== null) await next(opened, { reason: null, delaySec: pauseSec }, deps);
    } catch (error) {
      // The queue does not retry a refusal, but retries after any other error.
      if (error instanceof Refused && isTransient(error)) throw new Error(error.message, { cause: error });
      if (!(error instanceof SourceBusy)) throw error;
      await next(opened, { reason: error.message, delaySec: error.waitSec }, deps);
    }
  },
  async giveUp({ libraryId, importId, tick }, { db }, reason) {
    await endImport(db, { libraryId, importId, tick }, { state: 'failed', reason });
  },
});

/** Sends the job of a tick. Does nothing while this job is waiting or running. */
export function sendImport(queue: JobDeps['queue'], tick: ImportTick, delaySec = 0): FollowUp {
  return queue.send(runImport, tick, { delaySec, onlyOneNamed: `${tick.importId} ${tick.tick}` });
}

/** Sends the jobs of active imports again, because a restored backup has none. */
export async function resendImports({ db, queue }: JobDeps): Promise<void> {
  const ticks = await findActive(db);
  await inTransaction(db, async (tx) => {
    for (const tick of ticks) await sendImport(queue, tick)(tx);
  });
}

type Parts = { running: RunningImport; deps: JobDeps };

async function next(
  opened: OpenImport,
  { reason, delaySec }: { reason: string | null; delaySec: number },
  { db, queue }: JobDeps,
): Promise<void> {
  const send = (to: ImportTick) => sendImport(queue, to, delaySec);
  await passOn(db, { libraryId: opened.libraryId, importId: opened.importId, tick: opened.tick }, { reason, send });
}

/** Does a part of the import. Returns the pause before the next part in s, or null if the import has ended. */
async function advance(opened: OpenImport, parts: Parts, signal: AbortSignal): Promise<number | null> {
  switch (opened.state) {
    case 'listing':
      return listSource(opened, parts, signal);
    case 'running':
      return transfer(opened, parts, signal);
    case 'cancelling':
      return finishTransfers(opened, parts);
  }
}

async function listSource(opened: OpenImport, { running, deps }: Parts, signal: AbortSignal): Promise<number | null> {
  const { source, client } = running;
  let { request } = running;
  let { cursor } = opened;
  if (cursor === null) {
    request = await source.prepare(request, client, signal);
    if (!(await saveRequest(deps.db, opened, deps.secretBox.seal(JSON.stringify(request))))) return null;
  }
  const until = Date.now() + RUN_MS;
  do {
    const page = await source.list(request, { cursor, client }, signal);
    if (!(await savePage(deps.db, opened, page))) return null;
    cursor = page.next;
  } while (cursor !== null && Date.now() < until);
  return cursor === null && opened.isDryRun ? null : 0;
}

async function transfer(opened: OpenImport, { running, deps }: Parts, signal: AbortSignal): Promise<number | null> {
  const { importId, concurrency } = opened;
  const until = Date.now() + RUN_MS;
  while (Date.now() < until) {
    await settleTransfers(deps.db, importId);
    const { waiting, fetching } = await countOpen(deps.db, importId);
    if (waiting === 0 && fetching === 0) {
      await endImport(deps.db, opened, { state: 'finished', reason: null });
      return null;
    }
    // Uploads do not wait for each other here, because the caller decides how many it sends at once.
    const free = running.source.awaitsUploads ? concurrency : concurrency - fetching;
    const items = free <= 0 ? [] : await nextItems(deps.db, importId, free);
    if (items.length === 0) return await pauseOf(opened, { running, deps });
    await startAll(items, { running, deps }, signal);
  }
  return 0;
}

async function startAll(
  items: Awaited<ReturnType<typeof nextItems>>,
  parts: Parts,
  signal: AbortSignal,
): Promise<void> {
  const collections = items.filter(({ kind }) => kind === 'collection');
  const videos = items.filter(({ kind }) => kind === 'video');
  for (const group of [collections, videos]) {
    const ends = await Promise.allSettled(group.map((item) => importItem(item, parts, signal)));
    // Reports a lost database before a busy source.
    const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    const error = errors.find((each) => isDatabaseAway(each)) ?? errors[0];
    if (error !== undefined) throw error;
  }
}

/** An import of uploads ends when nothing arrived for a week. Its unsent items can be resumed. */
async function pauseOf(opened: OpenImport, { running, deps }: Parts): Promise<number | null> {
  if (!running.source.awaitsUploads || Date.now() - opened.createdAt.getTime() < UPLOAD_LIMIT_MS) {
    return TRANSFER_PAUSE_SEC;
  }
  await releaseUnsent(deps.db, opened.importId);
  await endImport(deps.db, opened, { state: 'cancelled', reason: 'Not all files were uploaded within a week.' });
  return null;
}

async function finishTransfers(opened: OpenImport, { running, deps }: Parts): Promise<number | null> {
  await settleTransfers(deps.db, opened.importId);
  if (running.source.awaitsUploads) await releaseUnsent(deps.db, opened.importId);
  const { fetching } = await countOpen(deps.db, opened.importId);
  if (fetching > 0) return TRANSFER_PAUSE_SEC;
  await endImport(deps.db, opened, { state: 'cancelled', reason: null });
  return null;
}
