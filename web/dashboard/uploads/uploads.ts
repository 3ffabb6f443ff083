import { isFinal } from '../../../sdk/src/api-error.ts';
import type { PaginationListOfVideoModel } from '../../../src/api/models/video.ts';
import { ApiError, api, describeError, isTemporary } from '../base/api.ts';
import { t } from '../base/language.ts';
import { deleteRefused, EmptyFileError, isFileRefused, noteCreated } from './delete-refused.ts';
import { forgetUpload, keepUpload, loadKept, newKey } from './kept-uploads.ts';
import { transfer } from './transfer.ts';
import {
  changeItem,
  findItem,
  isReadable,
  isUploaded,
  mayRetry,
  type Target,
  titleOf,
  type UploadItem,
  uploads,
} from './upload-item.ts';

/** Maximum number of files sent concurrently. The others wait. Browsers allow six connections per host. */
const MAX_CONCURRENT_UPLOADS = 2;
/**
 * Time after which an interrupted upload is retried, unless the browser reports earlier that the connection is back, in
 * ms.
 */
const CUT_RETRY_MS = 3_000;
/** Maximum number of retries after too many requests or a failure. An unreachable service is retried without limit. */
const MAX_RETRIES = 10;
/** Maximum number of listed uploads for which duplicate titles are looked up. */
const MAX_COMPARED_UPLOADS = 50;
/** Weight of a new speed measurement. */
const SPEED_WEIGHT = 0.2;

const running = new Map<number, AbortController>();
/** Videos being created. An upload that is paused and resumed in the meantime uses the same video. */
const making = new Map<number, Promise<string>>();
let lastId = 0;

/** A file with the handle that restores it after a reload. */
export type GivenFile = { file: File; handle: FileSystemFileHandle | null };

export function addFiles(target: Target, files: Iterable<GivenFile>): void {
  const added = [...files].map(({ file, handle }): UploadItem => {
    lastId += 1;
    const { name, size: sizeBytes, lastModified: lastModifiedMs } = file;
    const progress = {
      address: null,
      sentBytes: 0,
      bytesPerSec: 0,
      state: 'waiting' as const,
      error: null,
      refusals: 0,
      isNamesake: false,
    };
    return {
      ...progress,
      ...target,
      videoId: target.videoId ?? null,
      id: lastId,
      key: newKey(),
      name,
      sizeBytes,
      lastModifiedMs,
      file,
      handle,
    };
  });
  uploads.value = [...uploads.value, ...added];
  startNext();
}

/** Lists uploads that were running when the page was closed. Each resumes once its file is available. */
export async function restoreUploads(): Promise<void> {
  const known = new Set(uploads.value.map(({ key }) => key));
  const lost = (await loadKept()).filter(({ key }) => !known.has(key));
  const items = lost.map((kept): UploadItem => {
    lastId += 1;
    return {
      ...kept,
      address: kept.address ?? null,
      id: lastId,
      file: null,
      sentBytes: 0,
      bytesPerSec: 0,
      state: 'lost',
      error: null,
      refusals: 0,
      isNamesake: false,
    };
  });
  uploads.value = [...uploads.value, ...items];
}

/** Gives an upload its file again. A different file is refused with a reason. */
export function giveFile(id: number, file: File): void {
  const item = findItem(id);
  if (item === undefined) return;
  if (file.size !== item.sizeBytes || file.name !== item.name) {
    changeItem(id, {
      error: t('Expected {0} ({1} bytes), got {2} ({3} bytes).', item.name, item.sizeBytes, file.name, file.size),
    });
    return;
  }
  // A modified file starts over, because its bytes must not be joined to those of the old one.
  const { lastModified: lastModifiedMs } = file;
  const address = lastModifiedMs === item.lastModifiedMs ? item.address : null;
  changeItem(id, { file, lastModifiedMs, address, state: 'waiting', error: null });
  startNext();
}

/** Uploads another file in place of one that was refused, to the same video if there is one. */
export function replaceFile(id: number, file: File): void {
  const { name, size: sizeBytes, lastModified: lastModifiedMs } = file;
  const fresh = { address: null, sentBytes: 0, bytesPerSec: 0, handle: null, refusals: 0, error: null };
  changeItem(id, { ...fresh, file, name, sizeBytes, lastModifiedMs, state: 'waiting', isRefused: false });
  startNext();
}

/** Reads the file again by its handle, for which the browser may ask the user for permission. */
export async function reopenFile(id: number): Promise<void> {
  const handle = findItem(id)?.handle ?? null;
  if (handle === null) return;
  try {
    giveFile(id, await handle.getFile());
  } catch (reason) {
    changeItem(id, {
      handle: null,
      error: t('The file can no longer be read ({0}). Choose it again.', describeError(reason)),
    });
  }
}

export function pause(id: number): void {
  changeItem(id, { state: 'paused', bytesPerSec: 0 });
  running.get(id)?.abort();
  running.delete(id);
  startNext();
}

/** Resumes an upload, even after a failure: the service returns how many bytes it has. */
export function resume(id: number): void {
  changeItem(id, { state: 'waiting', error: null, refusals: 0 });
  startNext();
}

export function retryAllFailed(): void {
  for (const item of uploads.value) if (mayRetry(item)) resume(item.id);
}

export function dismiss(id: number): void {
  const item = findItem(id);
  if (item?.state === 'sending') pause(id);
  uploads.value = uploads.value.filter((one) => one.id !== id);
  if (item !== undefined) void forgetUpload(item.key);
}

export function dismissDone(): void {
  uploads.value = uploads.value.filter((item) => !isUploaded(item));
}

function startNext(): void {
  // While the service is unreachable, other uploads wait with the interrupted ones.
  if (uploads.value.some(({ state }) => state === 'cut')) return;
  const free = MAX_CONCURRENT_UPLOADS - uploads.value.filter(({ state }) => state === 'sending').length;
  for (const item of uploads.value.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free))) {
    changeItem(item.id, { state: 'sending' });
    send(item).catch((error: unknown) => void fail(item.id, error));
  }
}

async function send(item: UploadItem): Promise<void> {
  const { id, key, sizeBytes } = item;
  const stop = new AbortController();
  running.set(id, stop);
  try {
    if (!(await sendFile(item, stop.signal))) return;
  } catch (error) {
    // The upload was paused or dismissed, and that action has already recorded the state.
    if (stop.signal.aborted) return;
    throw error;
  }
  running.delete(id);
  // A finished upload no longer needs its file: a folder of thousands must not keep them all.
  changeItem(id, { state: 'done', sentBytes: sizeBytes, bytesPerSec: 0, file: null, handle: null });
  void forgetUpload(key);
  startNext();
}

/** Resolves to true when the file was sent, or to false if the upload was stopped first. */
async function sendFile(item: UploadItem, signal: AbortSignal): Promise<boolean> {
  const { id, libraryId, file } = item;
  if (file === null) throw new Error(t('The file has changed or can no longer be read. Choose it again.'));
  if (file.size === 0) throw new EmptyFileError(t('The file is empty.'));
  const videoId = item.videoId ?? (await makeVideo(item));
  if (item.videoId === null) noteCreated(id);
  changeItem(id, { videoId });
  if (signal.aborted) return false;
  const { key, collectionId, name, sizeBytes, lastModifiedMs, handle } = item;
  const settings = item.settings === undefined ? {} : { settings: item.settings };
  const details = { key, libraryId, collectionId, name, sizeBytes, lastModifiedMs, handle };
  const keep = (address: string | null) => keepUpload({ ...settings, ...details, videoId, address });
  await keep(item.address);
  if (signal.aborted) return false;
  await transfer(file, {
    libraryId,
    videoId,
    address: item.address,
    ...settings,
    signal,
    onProgress: measureSpeed(id),
    async onState({ address }) {
      changeItem(id, { address });
      await keep(address);
    },
  });
  return true;
}

function makeVideo(item: UploadItem): Promise<string> {
  const made = making.get(item.id) ?? createVideo(item).finally(() => making.delete(item.id));
  making.set(item.id, made);
  return made;
}

/** Records the progress of an upload and a smoothed speed. */
function measureSpeed(id: number): (sentBytes: number) => void {
  let last = { sentBytes: -1, atMs: 0 };
  return (sentBytes) => {
    const atMs = performance.now();
    const before = findItem(id)?.bytesPerSec ?? 0;
    const elapsedMs = atMs - last.atMs;
    if (last.sentBytes < 0 || elapsedMs < 200) {
      if (last.sentBytes < 0) last = { sentBytes, atMs };
      changeItem(id, { sentBytes });
      return;
    }
    const now = ((sentBytes - last.sentBytes) * 1000) / elapsedMs;
    changeItem(id, { sentBytes, bytesPerSec: before === 0 ? now : before + (now - before) * SPEED_WEIGHT });
    last = { sentBytes, atMs };
  };
}

async function createVideo({ id, libraryId, collectionId, visibility, name }: UploadItem): Promise<string> {
  if (uploads.value.length <= MAX_COMPARED_UPLOADS)
    changeItem(id, { isNamesake: await hasTitle(libraryId, titleOf(name)) });
  // Undefined fields are not sent.
  const body = { title: titleOf(name), collectionId: collectionId || undefined, visibility };
  const { guid } = await api<{ guid: string }>('POST', `/library/${libraryId}/videos`, body);
  return guid;
}

/** Returns whether a video of this title exists. False if the search fails. */
async function hasTitle(libraryId: number, title: string): Promise<boolean> {
  const query = new URLSearchParams({ search: title, itemsPerPage: '20' });
  const path = `/library/${libraryId}/videos?${query}`;
  const found = await api<PaginationListOfVideoModel>('GET', path).catch(() => null);
  return found?.items.some((video) => video.title === title) === true;
}

async function fail(id: number, error: unknown): Promise<void> {
  running.delete(id);
  const item = findItem(id);
  if (item !== undefined && isFileRefused(item, error)) {
    changeItem(id, { isRefused: true, file: null, handle: null });
    // After a reload, there would be nothing to continue.
    await forgetUpload(item.key);
  }
  const refusals = (findItem(id)?.refusals ?? 0) + (error instanceof ApiError ? 1 : 0);
  changeItem(id, { refusals });
  await deleteRefused(id, error);
  if (isFinal(error) || !isTemporary(error) || refusals > MAX_RETRIES)
    changeItem(id, { state: 'failed', error: describeError(error), bytesPerSec: 0 });
  else if (await isReadable(findItem(id)?.file ?? null)) {
    changeItem(id, { state: 'cut', error: null, bytesPerSec: 0 });
    setTimeout(resumeCut, CUT_RETRY_MS);
  } else
    changeItem(id, {
      state: 'lost',
      file: null,
      handle: null,
      error: t('The file has changed or can no longer be read. Choose it again.'),
      bytesPerSec: 0,
    });
  startNext();
}

/** Resumes interrupted uploads, because the connection is back or the computer woke up. */
function resumeCut(): void {
  for (const { id, state } of uploads.value) if (state === 'cut') changeItem(id, { state: 'waiting' });
  startNext();
}

addEventListener('online', resumeCut);

// Asks for confirmation before the page is closed during an upload.
addEventListener('beforeunload', (event) => {
  if (uploads.value.some(({ state }) => ['sending', 'waiting', 'cut'].includes(state))) event.preventDefault();
});
