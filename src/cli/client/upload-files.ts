import { openAsBlob } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ApiError, Millrace, type UploadState, VideoFailedError } from '../../../sdk/src/millrace.ts';
import { isMedium } from '../../catalog/imports/sidecars.ts';
import { readVisibility, type Visibility } from '../../catalog/visibility.ts';
import { Refused } from '../../lib/refused.ts';
import { type Context, libraryKeyOf } from './context.ts';
import { EMPTY_FILE } from './find-refused.ts';
import { type FindUploaded, findUploaded, type Uploaded } from './find-uploaded.ts';
import { TransferIncomplete } from './follow-import.ts';
import { printError, printLine, printProgress } from './output.ts';
import { readPrivate, writePrivate } from './private-file.ts';

const PENDING = 'uploads.json';
/** Maximum number of recorded uploads. The oldest ones are forgotten. */
const MAX_PENDING = 1_000;

/** States in `VideoModel.status` of videos that have no file yet: created, upload failed. */
const WITHOUT_FILE = [0, 6];
/** State of a video whose file could not be processed. */
const FAILED = 5;

/** Statuses of requests that were refused because of the file. */
const FILE_STATUSES = [400, 409, 413, 415, 422];

/** `find` looks for the content of the file among the videos of its collection. Null: the file is always uploaded. */
type Source = { path: string; collectionId: string | null; find?: FindUploaded | null };

/**
 * Uploads files and the media files of folders one after another. Prints the id of each video. A file that cannot be
 * uploaded or encoded does not stop the others. Throws `TransferIncomplete` after the last file if one failed.
 */
export async function uploadAll(context: Context): Promise<void> {
  requireKnownWait(context);
  visibilityOf(context);
  // Searches before any video is created, so that a wrong path leaves no video behind.
  const found: { path: string; files: string[] | null }[] = [];
  for (const path of context.takes) found.push({ path, files: await mediaOf(path) });
  const uploader = await openUploader(context);
  const sources: Source[] = [];
  for (const { path, files } of found) {
    const folder = files === null ? null : await collectionOf(context, basename(resolve(path)));
    const collectionId = context.values.collection ?? folder;
    const isCompared = files !== null && collectionId !== null && context.values.duplicates !== true;
    const find = isCompared ? await findUploaded(context, collectionId) : null;
    for (const file of files ?? [path]) sources.push({ path: file, collectionId, find });
  }
  const [only] = sources;
  if (only !== undefined && found.length === 1 && found[0]?.files === null) {
    await uploadOne(context, uploader, only).catch(async (error: unknown) => {
      if (error instanceof VideoFailedError) await forgetSent(context, [only.path]);
      throw error;
    });
    return await forgetSent(context, [only.path]);
  }
  const handled: string[] = [];
  let [failed, skipped, refused] = [0, 0, 0];
  for (const source of sources) {
    try {
      const isEmpty = (await stat(source.path)).size === 0;
      const known = isEmpty ? null : ((await source.find?.(source.path)) ?? null);
      if (isEmpty) skipRefused(context, source.path, { guid: null, refusal: EMPTY_FILE });
      else if (known === null) await uploadOne(context, uploader, source);
      else if (known.refusal !== null && context.values['retry-failed'] === true) {
        // A failed video accepts another file, and keeps its id.
        await uploadOne(context, uploader, source, known.guid);
      } else if (known.refusal !== null) refused += skipRefused(context, source.path, known);
      else skipped += skipKnown(context, source.path, known);
      handled.push(source.path);
    } catch (error) {
      if (error instanceof VideoFailedError) handled.push(source.path);
      if (!concernsOnlyFile(error)) {
        printError(`millrace upload: stopped at ${source.path}`);
        throw error;
      }
      const reason = error instanceof Error ? error.message : String(error);
      printError(`millrace upload: ${source.path}: ${reason}`);
      failed += 1;
    }
  }
  await forgetSent(context, handled);
  if (skipped > 0) {
    const reason = `${skipped} of ${sources.length} files are in their collection already and were skipped`;
    printError(`millrace upload: ${reason}. --duplicates uploads them again.`);
  }
  if (refused > 0) {
    const reason = `${refused} of ${sources.length} files could not be processed before and were skipped`;
    printError(`millrace upload: ${reason}. --retry-failed uploads them again to the same videos.`);
  }
  if (failed > 0) {
    throw new TransferIncomplete(`${failed} of ${sources.length} files failed. Upload only these again.`);
  }
}

function skipKnown({ values }: Context, file: string, { guid }: Uploaded): 1 {
  printLine(values.json ? JSON.stringify({ guid, file, skipped: true }) : guid);
  return 1;
}

type Skipped = { guid: string | null; refusal: string | null };

/** Prints why a file is not sent. An empty file has no video. */
function skipRefused({ values }: Context, file: string, { guid, refusal: reason }: Skipped): 1 {
  if (values.json) printLine(JSON.stringify({ ...(guid !== null && { guid }), file, skipped: true, reason }));
  else printError(`millrace upload: ${file} is skipped: ${reason}`);
  return 1;
}

/** Returns whether other files may still succeed after this error. */
export function concernsOnlyFile(error: unknown): boolean {
  if (error instanceof ApiError) return FILE_STATUSES.includes(error.status);
  // The SDK throws a RangeError for an empty file.
  if (error instanceof VideoFailedError || error instanceof RangeError) return true;
  return error instanceof Error && 'syscall' in error;
}

/** `replace VIDEO FILE`: the old file keeps playing until the new one is ready. */
export async function replaceFile(context: Context): Promise<void> {
  requireKnownWait(context);
  const [videoId = '', path = ''] = context.takes;
  await mediaOf(path);
  await context.millrace.call('replaceFile', { libraryId: context.library, videoId });
  await uploadOne(context, await openUploader(context), { path, collectionId: null }, videoId);
}

export async function openUploader(context: Context): Promise<Millrace> {
  return new Millrace({ url: context.url, key: await libraryKeyOf(context) });
}

/**
 * Uploads a file to a new video, or to the video `into`, and prints its id. An interrupted upload is continued. A file
 * that an interrupted run has sent completely is not sent again, until `forgetSent` removes its record.
 */
export async function uploadOne(context: Context, uploader: Millrace, source: Source, into?: string): Promise<void> {
  const { library: libraryId, values } = context;
  const { path, collectionId } = source;
  const { size, mtimeMs } = await stat(path);
  // A file for another collection or with another visibility or title is another upload.
  const wanted = [collectionId, values.visibility ?? null, values.title ?? null];
  const mark = JSON.stringify([...markOf(context, path), size, mtimeMs, ...wanted, into ?? null]);
  const name = basename(path);
  const earlier = (await readPrivate<UploadState>(PENDING))[mark];
  const status = earlier === undefined || into !== undefined ? null : await statusOf(context, earlier.videoId);
  // A file that could not be processed gets a new video.
  const resume = status === FAILED ? undefined : earlier;
  const isSent = status !== null && status !== FAILED && !WITHOUT_FILE.includes(status);
  if (isSent) printError(`millrace: an interrupted run already sent ${name}. It is not sent again.`);
  const videoId =
    isSent && resume !== undefined
      ? resume.videoId
      : await uploader.upload(await openAsBlob(path), {
          libraryId,
          title: values.title ?? titleOf(name),
          ...(collectionId !== null && { collectionId }),
          ...visibilityOf(context),
          ...(into !== undefined && { videoId: into }),
          ...(resume !== undefined && { resume }),
          onState: (state) => remember(mark, state),
          onRetry: (error, delayMs) => printRetry(name, error, delayMs),
          onProgress: (sent, total) => printProgress(`${name} uploading`, sent / total),
        });
  if (into !== undefined) await forget((key) => key === mark);
  if (values['no-wait'] !== true) await waitFor(context, name, videoId);
  printLine(values.json ? JSON.stringify({ guid: videoId, file: path }) : videoId);
}

/** Returns the state of a video, or null if it does not exist. */
async function statusOf({ millrace, library: libraryId }: Context, videoId: string): Promise<number | null> {
  try {
    return (await millrace.call('getVideo', { libraryId, videoId })).status;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/** Returns the beginning of the key of a pending upload. */
function markOf({ url, library }: Context, path: string): [url: string, library: number, path: string] {
  return [url, library, resolve(path)];
}

/** Removes the records of files that a complete run has sent, so that the next run sends them again. */
async function forgetSent(context: Context, paths: readonly string[]): Promise<void> {
  const starts = new Set(paths.map((path) => JSON.stringify(markOf(context, path))));
  await forget((key) => {
    const mark: unknown[] = JSON.parse(key);
    return mark.at(-1) === null && starts.has(JSON.stringify(mark.slice(0, 3)));
  });
}

async function remember(mark: string, state: UploadState): Promise<void> {
  const { [mark]: _earlier, ...others } = await readPrivate<UploadState>(PENDING);
  await writePrivate(PENDING, Object.fromEntries([...Object.entries(others), [mark, state]].slice(-MAX_PENDING)));
}

async function forget(isForgotten: (key: string) => boolean): Promise<void> {
  const pending = Object.entries(await readPrivate(PENDING));
  const left = pending.filter(([key]) => !isForgotten(key));
  if (left.length < pending.length) await writePrivate(PENDING, Object.fromEntries(left));
}

/** Returns the visibility of new videos. Throws `Refused` for an unknown one: a typo must not publish a video. */
function visibilityOf({ values }: Pick<Context, 'values'>): { visibility?: Visibility } {
  const { visibility } = values;
  if (visibility === undefined) return {};
  const read = readVisibility(visibility);
  if (read !== null) return { visibility: read };
  throw new Refused('invalid', `expected --visibility to be public, unlisted or private, got ${visibility}.`);
}

/** Prints the reason of a pause, because it may take minutes. */
function printRetry(name: string, error: unknown, delayMs: number): void {
  const said = error instanceof ApiError && error.said !== '' ? error.said : null;
  const reason = said ?? (error instanceof Error ? error.message : String(error));
  printError(`millrace: ${name} waits ${Math.ceil(delayMs / 1000)} s and is retried: ${reason}`);
}

/** Returns the title that the dashboard also derives from the name of a file. */
function titleOf(fileName: string): string {
  return fileName.replace(/\.[^.]{1,5}$/, '').replaceAll('_', ' ') || fileName;
}

async function waitFor({ millrace, library, values }: Context, name: string, videoId: string): Promise<void> {
  const onChange = ({ encodeProgress }: { encodeProgress: number }) =>
    printProgress(`${name} preparing`, encodeProgress / 100);
  const ids = { libraryId: library, videoId };
  if (values.wait === 'finished') await millrace.waitUntilFinished(ids, { onChange });
  else await millrace.waitUntilPlayable(ids, { onChange });
}

/** Throws `Refused` for an unknown value of `--wait`, before anything is sent. */
function requireKnownWait({ values: { wait } }: Context): void {
  if (wait === undefined || wait === 'playable' || wait === 'finished') return;
  throw new Refused('invalid', `expected --wait playable or --wait finished, got ${wait}.`);
}

/**
 * Returns the media files below a folder, sorted, or null if the path is a file. Throws `Refused` if the file is empty.
 */
async function mediaOf(path: string): Promise<string[] | null> {
  try {
    const { size } = await stat(path);
    const isFolder = (await stat(path)).isDirectory();
    if (isFolder) {
      const names = await readdir(path, { recursive: true });
      const media = names.filter(isMedium);
      if (media.length > 0) return media.sort((a, b) => (a < b ? -1 : 1)).map((name) => join(path, name));
    } else if (size > 0) return null;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Refused('invalid', `expected a readable file, got ${path}: ${reason}.`, { cause });
  }
  throw new Refused('invalid', `expected a file that is not empty, or a folder with media files, got ${path}.`);
}

async function collectionOf({ millrace, library: libraryId }: Context, name: string): Promise<string | null> {
  for await (const collection of millrace.pages('listCollections', { libraryId, search: name })) {
    if (collection.name === name) return collection.guid;
  }
  return (await millrace.call('createCollection', { libraryId, body: { name } })).guid;
}
