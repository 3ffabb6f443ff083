import type { Db, FollowUp } from '../../catalog/db.ts';
import { countUnhashed, findDuplicates, settleDuplicate } from '../../catalog/imports/duplicate-store.ts';
import { fitItem } from '../../catalog/imports/fit-fields.ts';
import {
  findOpen,
  isListFull,
  nextItems,
  releaseUnsent,
  settleTransfers,
} from '../../catalog/imports/import-item-store.ts';
import {
  endImport,
  findActive,
  findShortage,
  type OpenImport,
  openImport,
  passOn,
  savePage,
  saveRequest,
  saveSpeed,
  stopImport,
} from '../../catalog/imports/import-work-store.ts';
import { type ImportTick, LIST_FULL, shareBandwidth } from '../../catalog/imports/library-import.ts';
import { withNewGuids } from '../../catalog/imports/with-new-guids.ts';
import { inTransaction } from '../../catalog/in-transaction.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { type Guid, hashToGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { defineJob } from '../queue/define-job.ts';
import { deriveNewGuid } from './derive-new-guid.ts';
import { type ImportDeps, importItem, type RunningImport } from './import-item.ts';
import { planSettings, restorePlanned, restorePostponed } from './import-settings.ts';
import type { ImportSource, SourceRequest } from './import-source.ts';
import { createSourceClient, isTransient, SourceBusy, type SourceClient } from './source-client.ts';
import { importSources } from './sources/all.ts';

/** Maximum time of a run, in ms. Its successor continues, so that other housekeeping gets its turn. */
const RUN_MS = 20_000;
/** Pause between checks of files in transfer, in s. */
const TRANSFER_PAUSE_SEC = 1;
/** Pause before an import of a source that only newer versions know is offered to the next worker, in s. */
const NEWER_WORKER_PAUSE_SEC = 30;
/** Pause between checks of the free space of a full disk, in s. */
const DISK_PAUSE_SEC = 30;
/** Reason shown while the disk is nearly full. */
const DISK_FULL = 'The disk is nearly full. The import is paused, and continues when there is space again.';
const NEEDS_NEWER_WORKER = 'Waiting for a worker of a newer version, which knows this source.';
const KEY_ADVICE = 'The source refuses the key. Start the import again with a valid one.';
const REPEATED_PAGE = 'Expected the next page of the list from the source, got the same page again. Check its URL.';
const NOT_UPLOADED = 'Not all files were uploaded within a week. Run the command of this import again.';
/** Time for which an import waits for uploads, in ms. */
const UPLOAD_LIMIT_MS = 7 * 24 * 3_600_000;
/** Maximum number of items whose file is tried as a sample of the speed. */
const SAMPLED_ITEMS = 5;
/** Maximum number of duplicates that one step settles. */
const MAX_DUPLICATES = 200;

/**
 * Performs an import: lists the source page by page, then starts items up to the concurrency and records the outcomes
 * of their transfers. Each step is committed by itself, so that a crash repeats at most one. Each run sends its
 * successor with the next tick, which fences this one.
 */
export const runImport = defineJob<ImportTick, ImportDeps>({
  name: 'run-import',
  queue: 'housekeeping',
  retryLimit: 20,
  async run({ libraryId, importId, tick }, deps, signal) {
    const found = await openImport(deps.db, { libraryId, importId, tick }, deps.secretBox);
    if (found === null) return;
    if (!isKnown(found.source))
      return next(found, { reason: NEEDS_NEWER_WORKER, delaySec: NEWER_WORKER_PAUSE_SEC }, deps);
    const { concurrency, maxBytesPerSec } = shareBandwidth(found);
    const opened = { ...found, concurrency };
    const client = createSourceClient(deps.outbound);
    const source = importSources[opened.source];
    // The creator of the import wrote the request in this form.
    let request = opened.request as SourceRequest;
    try {
      if (isStale(source, request)) request = await prepare(opened, { source, request, client, deps }, signal);
      const running = { source, client, request, maxBytesPerSec, makesNewGuids: opened.makesNewGuids };
      const pauseSec = await advance(opened, { running, deps }, signal);
      if (pauseSec === null) return;
      await next(opened, { reason: await findShortage(deps.db, opened), delaySec: pauseSec }, deps);
    } catch (error) {
      // The queue does not retry a refusal, but retries after any other error.
      if (error instanceof Refused && isTransient(error)) throw new Error(error.message, { cause: error });
      if (error instanceof Refused && error.kind === 'quota-reached')
        return await stop(opened, { reason: error.message, advice: adviceFor(opened) }, deps);
      if (error instanceof Refused && error.kind === 'unauthenticated' && opened.state === 'running')
        return await stop(opened, { reason: error.message, advice: KEY_ADVICE }, deps);
      if (error instanceof Refused && error.kind === 'disk-full')
        return await next(opened, { reason: DISK_FULL, delaySec: DISK_PAUSE_SEC }, deps);
      if (!(error instanceof SourceBusy)) throw error;
      await next(opened, { reason: error.message, delaySec: error.waitSec }, deps);
    }
  },
  async giveUp({ libraryId, importId, tick }, { db }, reason) {
    await endImport(db, { libraryId, importId, tick }, { state: 'failed', reason });
  },
});

/** Sends the job of a tick. Does nothing while this job is waiting or running. */
export function sendImport(queue: ImportDeps['queue'], tick: ImportTick, delaySec = 0): FollowUp {
  return queue.send(runImport, tick, { delaySec, onlyOneNamed: `${tick.importId} ${tick.tick}` });
}

/** Sends the jobs of active imports again, because a restored backup has none. */
export async function resendImports({ db, queue }: ImportDeps): Promise<void> {
  const ticks = await findActive(db);
  await inTransaction(db, async (tx) => {
    for (const tick of ticks) await sendImport(queue, tick)(tx);
  });
}

/** Returns whether this version has the source. A newer one may have created the import. */
function isKnown(source: string): boolean {
  return Object.hasOwn(importSources, source);
}

/** Returns whether the import has begun and the values that `prepare` determined have expired. */
function isStale({ refreshSec }: ImportSource, { preparedMs }: SourceRequest): boolean {
  return refreshSec !== null && preparedMs !== null && Date.now() - preparedMs > refreshSec * 1000;
}

type Preparing = { source: ImportSource; request: SourceRequest; client: SourceClient; deps: ImportDeps };

/** Prepares the access to the source and stores it. A later job ignores what this one stores. */
async function prepare(
  opened: OpenImport,
  { source, request, client, deps }: Preparing,
  signal: AbortSignal,
): Promise<SourceRequest> {
  const prepared = { ...(await source.prepare(request, client, signal)), preparedMs: Date.now() };
  await saveRequest(deps.db, opened, deps.secretBox.seal(JSON.stringify(prepared)));
  return prepared;
}

type Parts = { running: RunningImport; deps: ImportDeps };

async function next(
  opened: OpenImport,
  { reason, delaySec }: { reason: string | null; delaySec: number },
  { db, queue }: ImportDeps,
): Promise<void> {
  const send = (to: ImportTick) => sendImport(queue, to, delaySec);
  await passOn(db, { libraryId: opened.libraryId, importId: opened.importId, tick: opened.tick }, { reason, send });
}

/** Stops an import. Files in transfer are completed. */
async function stop(
  opened: OpenImport,
  { reason, advice }: { reason: string; advice: string },
  deps: ImportDeps,
): Promise<void> {
  await stopImport(deps.db, opened, `${reason} ${advice}`);
  await next(opened, { reason: null, delaySec: 0 }, deps);
}

/** Returns how to continue when the library has room again. */
function adviceFor({ source }: OpenImport): string {
  return source === 'upload' ? 'Then run the command again.' : 'Resume the import afterwards.';
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
    request = await prepare(opened, { source, request, client, deps }, signal);
    await planSettings(opened, { running: { ...running, request }, deps }, signal);
  }
  const guidFor = (sourceId: string) => deriveGuid(opened, request, sourceId);
  const until = Date.now() + RUN_MS;
  do {
    const page = await source.list(request, { cursor, client, guidFor }, signal);
    if (page.next !== null && page.next === cursor) throw new Refused('invalid', REPEATED_PAGE);
    const toNew = (guid: Guid) => deriveNewGuid(opened.libraryId, guid);
    const fitting = page.items.map(fitItem);
    const items = opened.makesNewGuids ? fitting.map((item) => withNewGuids(item, toNew)) : fitting;
    if (!(await savePage(deps.db, opened, { ...page, items }))) return null;
    cursor = page.next;
  } while (cursor !== null && Date.now() < until);
  if (cursor !== null || !opened.isDryRun) return 0;
  await measureSpeed(opened, { running: { ...running, request }, deps }, signal);
  return null;
}

/** GUIDs are unique over all libraries, so the target is a part of each. */
function deriveGuid(
  { source, libraryId }: OpenImport,
  { apiUrl, bucket, prefix }: SourceRequest,
  sourceId: string,
): Guid {
  return hashToGuid(JSON.stringify([source, apiUrl, bucket, prefix, libraryId, sourceId]));
}

/** Downloads the beginning of a file to learn the speed of the source. A plan without it has no estimated time. */
async function measureSpeed(opened: OpenImport, { running, deps }: Parts, signal: AbortSignal): Promise<void> {
  if (running.source.awaitsUploads || running.source.preparesFiles) return;
  const { source, client, request } = running;
  for (const item of await nextItems(deps.db, opened.importId, SAMPLED_ITEMS)) {
    if (item.video === null) continue;
    const { sourceId, video } = item;
    try {
      const { files } = await source.locate(request, { item: { sourceId, video }, client }, signal);
      const [file] = files;
      const bytesPerSec = file === undefined ? null : await client.measure(file, signal);
      if (bytesPerSec !== null) return await saveSpeed(deps.db, opened, bytesPerSec);
    } catch (error) {
      signal.throwIfAborted();
      if (isDatabaseAway(error)) throw error;
      // The estimate is optional. The import itself reports what fails.
    }
  }
}

async function transfer(opened: OpenImport, { running, deps }: Parts, signal: AbortSignal): Promise<number | null> {
  const { importId, concurrency } = opened;
  await restorePlanned(opened, { running, deps }, signal);
  const until = Date.now() + RUN_MS;
  while (Date.now() < until) {
    await settleTransfers(deps.db, importId);
    const { hasWaiting, fetching } = await findOpen(deps.db, importId);
    if (!hasWaiting && fetching === 0) {
      if (!(await settleDuplicates(opened, deps.db))) return TRANSFER_PAUSE_SEC;
      await restorePostponed(opened, { running, deps }, signal);
      const reason = (await isListFull(deps.db, importId)) ? LIST_FULL : null;
      await endImport(deps.db, opened, { state: 'finished', reason });
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

/** Notes files that the library has already. Returns false while files are still hashed or many are left. */
async function settleDuplicates({ libraryId, importId, skipsDuplicates }: OpenImport, db: Db): Promise<boolean> {
  if ((await countUnhashed(db, importId)) > 0) return false;
  const found = await findDuplicates(db, importId, MAX_DUPLICATES);
  for (const duplicate of found) {
    await settleDuplicate(db, { libraryId, importId }, { ...duplicate, isSkipped: skipsDuplicates });
  }
  return found.length < MAX_DUPLICATES;
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
  await endImport(deps.db, opened, { state: 'cancelled', reason: NOT_UPLOADED });
  return null;
}

async function finishTransfers(opened: OpenImport, { running, deps }: Parts): Promise<number | null> {
  await settleTransfers(deps.db, opened.importId);
  if (running.source.awaitsUploads) await releaseUnsent(deps.db, opened.importId);
  const { fetching } = await findOpen(deps.db, opened.importId);
  if (fetching > 0) return TRANSFER_PAUSE_SEC;
  await endImport(deps.db, opened, { state: 'cancelled', reason: opened.reason });
  return null;
}
