import type { Db, FollowUp } from '../../catalog/db.ts';
import { fitFields } from '../../catalog/imports/fit-fields.ts';
import {
  type OpenItem,
  retryLater,
  settleItem,
  startItem,
  takenReason,
  waitForSource,
  waitForSpace,
} from '../../catalog/imports/import-item-store.ts';
import { insertImportedCollection, insertImportedVideo } from '../../catalog/imports/imported-video-store.ts';
import { ALREADY_HERE } from '../../catalog/imports/library-import.ts';
import type { ImportedVideo } from '../../catalog/imports/listed-item.ts';
import { withNewComments } from '../../catalog/imports/with-new-guids.ts';
import { CommitInDoubt, inTransaction } from '../../catalog/in-transaction.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { requireStorageQuota } from '../../catalog/quotas/storage-quota-store.ts';
import { type FetchRequest, openingFetch } from '../../catalog/uploads/fetch-store.ts';
import { beginImport } from '../../catalog/videos/video.ts';
import { createVideoStore } from '../../catalog/videos/video-store.ts';
import { type Guid, newGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import type { JobDeps } from '../job-deps.ts';
import { fetchVideo } from '../uploads/fetch-video.ts';
import { requireSpace, usualDiskFloorBytes } from '../uploads/require-space.ts';
import { attachFiles } from './attach-files.ts';
import { deriveNewGuid } from './derive-new-guid.ts';
import type { ImportSource, LocatedFiles, SourceRequest } from './import-source.ts';
import { isTransient, PLAYLIST, SourceBusy, type SourceClient, SourcePreparing } from './source-client.ts';

/** Lower than the priority of fetches that people requested and wait for. */
const FETCH_PRIORITY = -1;

/** Dependencies of imports. */
export type ImportDeps = Pick<JobDeps, 'db' | 'queue' | 'secretBox' | 'outbound' | 'storage' | 'importSettings'>;

/** An import with its source, opened for a job. */
export type RunningImport = {
  source: ImportSource;
  request: SourceRequest;
  client: SourceClient;
  /** Limit of each transfer, or null. */
  maxBytesPerSec: number | null;
  makesNewGuids: boolean;
};

/**
 * Starts an item: creates its collection or video and requests its file. Continues where an earlier attempt ended.
 * Records an outcome or a later attempt for everything that fails. Throws `SourceBusy` if the source asked for a pause,
 * and `Refused` if the library (`quota-reached`) or the disk (`disk-full`) is full, or if the source refuses the key
 * (`unauthenticated`).
 */
export async function importItem(
  item: OpenItem,
  { running, deps }: { running: RunningImport; deps: ImportDeps },
  signal: AbortSignal,
): Promise<void> {
  try {
    if (item.video === null) await importCollection(item, deps.db);
    else await importVideo({ ...item, video: item.video }, { running, deps }, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceBusy || error instanceof CommitInDoubt || isDatabaseAway(error)) throw error;
    if (error instanceof Refused && error.kind === 'quota-reached') throw error;
    if (error instanceof Refused && error.kind === 'disk-full') return await postpone(item, deps);
    if (error instanceof Refused && error.kind === 'unauthenticated') await requireKey(running, signal);
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof SourcePreparing) await waitForSource(deps.db, item, reason);
    else if (isTransient(error)) await retryLater(deps.db, item, reason);
    // The owner of the source may permit the access, or restore an archived object.
    else await settleItem(deps.db, item, { state: 'failed', reason, isRetryable: isForbidden(error) });
  }
}

/** Makes a large file wait for space, so that smaller ones are imported. Throws `Refused` if no file fits. */
async function postpone(item: OpenItem, { db, storage }: ImportDeps): Promise<void> {
  await requireSpace(0, { storage, diskFloorBytes: usualDiskFloorBytes });
  await waitForSpace(db, item);
}

/**
 * Throws `Refused` (`unauthenticated`) if the source refuses the key for its list too. It may also refuse a single
 * video, which the owner of the key may not read.
 */
async function requireKey({ source, request, client }: RunningImport, signal: AbortSignal): Promise<void> {
  try {
    await source.list(request, { cursor: null, client, guidFor: () => newGuid() }, signal);
  } catch (error) {
    if (!(error instanceof Refused) || error.kind === 'unauthenticated' || isTransient(error)) throw error;
    // The list is refused for another reason, which does not end the import. The item fails with its own.
  }
}

async function importCollection(item: OpenItem, db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    const isNew = await insertImportedCollection(tx, item);
    const reason = isNew ? null : 'The library has this collection already.';
    await settleItem(tx, item, { state: isNew ? 'imported' : 'skipped', reason });
  });
}

type VideoItem = OpenItem & { video: ImportedVideo };

async function importVideo(
  item: VideoItem,
  { running, deps }: { running: RunningImport; deps: ImportDeps },
  signal: AbortSignal,
): Promise<void> {
  const { source, request, client } = running;
  const { sourceId } = item;
  const located = await source.locate(request, { item: { sourceId, video: item.video }, client }, signal);
  // Looks for the file first, so that a video without one leaves nothing behind.
  const found = source.awaitsUploads ? null : await findFile(located.files, client, signal);
  // Checks space and quota first, so that a refused file leaves no video behind.
  if (found !== null)
    await requireSpace(found.sizeBytes ?? 0, { storage: deps.storage, diskFloorBytes: usualDiskFloorBytes });
  await inTransaction(deps.db, (tx) => requireStorageQuota(tx, item.libraryId, { bytes: found?.sizeBytes ?? null }));
  const { fields: merged, notes: shortened } = fitFields({ ...item.video, ...located.details });
  const toNew = (guid: Guid) => deriveNewGuid(item.libraryId, guid);
  const video = running.makesNewGuids ? { ...merged, comments: withNewComments(merged.comments, toNew) } : merged;
  if (!item.ownsTarget && !(await create({ ...item, video }, deps.db))) return;
  const key = { libraryId: item.libraryId, mediaId: item.targetId };
  const notes = await attachFiles(key, { located, deps: { ...deps, client } }, signal);
  const all = [...new Set([...item.notes, ...(located.notes ?? []), ...(found?.notes ?? []), ...shortened, ...notes])];
  const file = found && limited(found.file, running.maxBytesPerSec);
  await requestFile(item, { file, fileBytes: found?.sizeBytes ?? null, notes: all }, deps);
}

/** Creates the video. Returns false, with an outcome recorded, if its GUID is in use. */
async function create(item: VideoItem, db: Db): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    if (await insertImportedVideo(tx, item, item.video)) return true;
    await settleItem(tx, item, { state: 'skipped', reason: await takenReason(tx, item) });
    return false;
  });
}

type Found = { file: FetchRequest; sizeBytes: number | null; notes: string[] };

function isForbidden(error: unknown): boolean {
  return error instanceof Refused && error.kind === 'forbidden';
}

/**
 * Returns the first candidate that exists. Throws `Refused` with the reason of each if there is none, as `forbidden` if
 * the source denies access to all of them.
 */
async function findFile(files: LocatedFiles['files'], client: SourceClient, signal: AbortSignal): Promise<Found> {
  const reasons: string[] = [];
  let denied = 0;
  for (const { kind, url, headers } of files) {
    const { isThere, isDenied, reason, sizeBytes } = await client.probe({ url, headers }, signal);
    // A source without the original lists only encoded files.
    const isLesser = !isEncoded(files[0]?.kind) && isEncoded(kind);
    const notes = isLesser ? [`The original could not be downloaded, so an encoded file is used. ${reasons[0]}`] : [];
    if (isThere && kind === PLAYLIST) return { file: { url, headers, isPlaylist: true }, sizeBytes: null, notes };
    if (isThere) return { file: { url, headers }, sizeBytes, notes };
    reasons.push(`${kind}: ${reason}`);
    denied += isDenied ? 1 : 0;
  }
  const isDeniedAlways = denied > 0 && denied === files.length;
  throw new Refused(isDeniedAlways ? 'forbidden' : 'invalid', `No file could be downloaded. ${reasons.join(' ')}`);
}

function isEncoded(kind: string | undefined): boolean {
  return kind === PLAYLIST || kind === 'mp4';
}

function limited(file: FetchRequest, maxBytesPerSec: number | null): FetchRequest {
  return maxBytesPerSec === null ? file : { ...file, maxBytesPerSec };
}

type Wanted = { file: FetchRequest | null; fileBytes: number | null; notes: readonly string[] };

/** Opens the fetch in the transaction that marks the item as in transfer, so that a file is requested once. */
async function requestFile(
  item: VideoItem,
  { file, ...facts }: Wanted,
  { db, queue, secretBox }: ImportDeps,
): Promise<void> {
  const key = { libraryId: item.libraryId, mediaId: item.targetId };
  const id = newGuid();
  const start: FollowUp = async (tx) => {
    if (!(await startItem(tx, item, facts)) || file === null) return;
    await openingFetch({ id, key }, { ...file, sizeBytes: facts.fileBytes }, secretBox)(tx);
    await queue.send(fetchVideo, { ...key, uploadId: id }, { onlyOneNamed: id, priority: FETCH_PRIORITY })(tx);
  };
  try {
    await createVideoStore(db).change(key, beginImport, start);
  } catch (error) {
    if (!(error instanceof Refused) || error.kind !== 'invalid') throw error;
    // The video got its file from an earlier import or an upload.
    await settleItem(db, item, { state: 'skipped', reason: ALREADY_HERE });
  }
}
