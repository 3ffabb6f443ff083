import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type Millrace } from '../../../sdk/src/millrace.ts';
import { fitFields } from '../../catalog/imports/fit-fields.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { findRefused, type RefusedFiles, reasonToSkip } from './find-refused.ts';
import { followImport, TransferIncomplete } from './follow-import.ts';
import { wholeNumberOf } from './import-fields.ts';
import { endProgress, printLine } from './output.ts';
import type { FoundFolder, FoundVideo } from './read-folder.ts';
import { concernsOnlyFile, openUploader, uploadOne } from './upload-files.ts';

/** Maximum number of items that one import takes. More items are imported one part after another. */
const MAX_ITEMS = 10_000;
/** Maximum bytes of the items of one import, below the limit of its request. */
const MAX_PART_BYTES = 12 * 2 ** 20;
/** Maximum number of items of all parts. */
const MAX_ALL_ITEMS = 1_000_000;
const POLL_MS = 500;

/**
 * Uploads the media of a folder with their sidecars. A second run uploads only what is missing or failed, because GUIDs
 * are made from the paths unless a sidecar or the manifest states them.
 */
export async function importFolder(context: Context, root: string, found: FoundFolder): Promise<void> {
  const total = found.collections.length + found.videos.length + found.withoutMedia.length;
  if (total === 0 || total > MAX_ALL_ITEMS) {
    throw new Refused('invalid', `expected 1 to ${MAX_ALL_ITEMS} media files in ${root}, got ${total}.`);
  }
  requireDifferentGuids(found.videos);
  await stopEarlier(context);
  const sendsAgain = context.values['retry-failed'] === true;
  const refused: RefusedFiles = sendsAgain ? new Map() : await findRefused(context, found.videos);
  const parts = partsOf(
    withoutRefused(withFitting(found), refused),
    wholeNumberOf(context.pairs, 'partItems') ?? MAX_ITEMS,
  );
  const failures: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (parts.length > 1) printLine(`Part ${index + 1} of ${parts.length}`);
    await importPart(context, part).catch((error: unknown) => {
      if (!(error instanceof TransferIncomplete)) throw error;
      failures.push(error.message);
    });
  }
  if (failures.length > 0) throw new TransferIncomplete(failures.join(' '));
}

/** Shortens texts of videos that the service would refuse, and prints which ones. */
function withFitting(found: FoundFolder): FoundFolder {
  const videos = found.videos.map((video) => {
    const { fields: item, notes } = fitFields(video.item);
    for (const note of notes) printLine(`${video.path}: ${note}`);
    return { ...video, item };
  });
  return { ...found, videos };
}

/** Lists the files that cannot be imported without sending them, so that the import reports them as skipped. */
function withoutRefused({ collections, videos, withoutMedia }: FoundFolder, refused: RefusedFiles): FoundFolder {
  const skipped = videos.flatMap((video) => {
    const noMediaReason = reasonToSkip(video, refused);
    return noMediaReason === null ? [] : [{ video, item: { ...video.item, noMediaReason } }];
  });
  const left = new Set(skipped.map(({ video }) => video));
  return {
    collections,
    videos: videos.filter((video) => !left.has(video)),
    withoutMedia: [...withoutMedia, ...skipped.map(({ item }) => item)],
  };
}

/** Splits a folder into parts of one import each. Every part has the collections of its videos. */
function partsOf({ collections, videos, withoutMedia }: FoundFolder, partItems: number): FoundFolder[] {
  // The collections of a part count towards the limits. Each part has at least one item.
  const maxItems = Math.max(1, Math.min(MAX_ITEMS, partItems) - collections.length);
  const maxBytes = MAX_PART_BYTES - bytesOf(collections);
  const parts: FoundFolder[] = [{ collections, videos: [], withoutMedia: [] }];
  let [items, bytes] = [0, 0];
  const room = (item: object): FoundFolder => {
    [items, bytes] = [items + 1, bytes + bytesOf(item)];
    if (items > maxItems || (bytes > maxBytes && items > 1)) {
      parts.push({ collections: [], videos: [], withoutMedia: [] });
      [items, bytes] = [1, bytesOf(item)];
    }
    // A part always exists.
    return parts.at(-1) as FoundFolder;
  };
  for (const item of withoutMedia) room(item).withoutMedia.push(item);
  for (const video of videos) room(video.item).videos.push(video);
  for (const part of parts.slice(1)) {
    const used = new Set(part.videos.map(({ item }) => item.collectionId));
    part.collections = collections.filter(({ guid }) => used.has(guid));
  }
  return parts;
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

async function importPart(context: Context, { collections, videos, withoutMedia }: FoundFolder): Promise<void> {
  const { millrace, library: libraryId, pairs } = context;
  const items = [...collections, ...withoutMedia, ...videos.map(({ item }) => item)];
  const skipDuplicates = String(pairs.skipDuplicates) === 'true';
  const body = { source: 'upload' as const, items, dryRun: pairs.dryRun === true, skipDuplicates };
  const { guid: importId } = await millrace.call('createImport', { libraryId, body });
  const sent = body.dryRun ? { refused: 0, lost: 0 } : await uploadOrCancel(context, { importId, videos });
  // Otherwise the import would wait a week for the files that the service refused.
  if (sent.refused > 0) await millrace.call('cancelImport', { libraryId, importId });
  await followImport(context, libraryId, importId);
  if (sent.refused > 0) {
    const files = sent.refused === 1 ? '1 file was' : `${sent.refused} files were`;
    throw new TransferIncomplete(`${files} refused for the reasons above.`);
  }
  if (sent.lost > 0) {
    const files = sent.lost === 1 ? '1 caption file or image was' : `${sent.lost} caption files and images were`;
    const advice =
      'Correct them and add them with captions add or thumbnail, because their videos are imported already.';
    throw new TransferIncomplete(`${files} refused for the reasons above. ${advice}`);
  }
}

/** If the service refuses further files, cancels the import, which would otherwise wait a week for them. */
async function uploadOrCancel(context: Context, uploads: Uploads): Promise<Sent> {
  try {
    return await uploadFiles(context, uploads);
  } catch (error) {
    const { millrace, library: libraryId } = context;
    if (error instanceof ApiError) await millrace.call('cancelImport', { libraryId, importId: uploads.importId });
    throw error;
  }
}

/** Two files with one GUID would replace each other. */
function requireDifferentGuids(videos: readonly FoundVideo[]): void {
  const paths = new Map<string, string>();
  for (const { item, path } of videos) {
    const other = paths.get(item.guid);
    if (other !== undefined) {
      const hint = 'Remove the guid from one of their sidecars, or from the manifest.';
      throw new Refused(
        'invalid',
        `expected a different guid for each file, got ${item.guid} for ${other} and ${path}. ${hint}`,
      );
    }
    paths.set(item.guid, path);
  }
}

/** An interrupted run left an import that waits for its files. This run takes over its videos. */
async function stopEarlier({ millrace, library: libraryId }: Context): Promise<void> {
  for await (const { guid: importId, source, dateEnded } of millrace.pages('listImports', { libraryId })) {
    if (source !== 'upload' || dateEnded !== null) continue;
    await millrace.call('cancelImport', { libraryId, importId });
    while ((await millrace.call('getImport', { libraryId, importId })).dateEnded === null) await sleep(POLL_MS);
  }
}

type Uploads = { importId: string; videos: readonly FoundVideo[] };
/** Number of media files that the service refused, and of captions and images that imported videos lack. */
type Sent = { refused: number; lost: number };

/** Sends the files whose items are ready. The reason of each refusal has been printed. */
async function uploadFiles(context: Context, { importId, videos }: Uploads): Promise<Sent> {
  const sent: Sent = { refused: 0, lost: 0 };
  const uploader = await openUploader(context);
  const left = new Map(videos.map((video) => [video.item.guid, video]));
  while (left.size > 0) {
    const ready = await readyItems(context, importId);
    for (const guid of ready.settled) left.delete(guid);
    for (const guid of ready.fetching) {
      const video = left.get(guid);
      left.delete(guid);
      if (video === undefined) continue;
      await uploadFile({ ...context, sent }, uploader, video);
    }
    if (ready.isOver) return sent;
    if (left.size > 0) await sleep(POLL_MS);
  }
  return sent;
}

/** Sends a file with its captions and image, and counts what the service refuses if other files may still succeed. */
async function uploadFile(
  { sent, ...context }: Context & { sent: Sent },
  uploader: Millrace,
  video: FoundVideo,
): Promise<void> {
  const values = { ...context.values, title: video.item.title, 'no-wait': true };
  try {
    const lost = await attach(context, video);
    await uploadOne({ ...context, values }, uploader, { path: video.path, collectionId: null }, video.item.guid);
    sent.lost += lost;
  } catch (error) {
    if (!concernsOnlyFile(error)) throw error;
    printSkipped(video.path, error);
    sent.refused += 1;
  }
}

async function readyItems({ millrace, library: libraryId }: Context, importId: string) {
  const fetching: string[] = [];
  const settled: string[] = [];
  for (let page = 1; ; page += 1) {
    const read = await millrace.call('getImport', { libraryId, importId, page, itemsPerPage: 1000 });
    for (const { guid, state } of read.items) {
      if (state === 'fetching') fetching.push(guid);
      else if (state !== 'waiting') settled.push(guid);
    }
    if (page * read.itemsPerPage >= read.totalItems) return { fetching, settled, isOver: read.dateEnded !== null };
  }
}

/**
 * Sends captions and image before the file, so that an interrupted run sends them again. Prints and counts those that
 * the service refuses, which do not stop the import of the video.
 */
async function attach(
  { millrace, library: libraryId }: Context,
  { item, captions, image }: FoundVideo,
): Promise<number> {
  const videoId = item.guid;
  let refused = 0;
  const attempt = async (path: string, send: () => Promise<unknown>) => {
    try {
      await send();
    } catch (error) {
      if (!concernsOnlyFile(error)) throw error;
      printSkipped(path, error);
      refused += 1;
    }
  };
  for (const { srclang, label, path, ...made } of captions) {
    await attempt(path, async () => {
      const body = { srclang, label, captionsFile: (await readFile(path)).toString('base64') };
      await millrace.call('addCaption', { libraryId, videoId, srclang, ...made, body });
    });
  }
  if (image !== null) {
    await attempt(image, async () =>
      millrace.call('setThumbnail', { libraryId, videoId, body: await readFile(image) }),
    );
  }
  return refused;
}

function printSkipped(path: string, error: unknown): void {
  endProgress();
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`millrace import: ${path}: ${reason}\n`);
}
