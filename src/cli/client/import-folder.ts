import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type Millrace } from '../../../sdk/src/millrace.ts';
import { fitFields } from '../../catalog/imports/fit-fields.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { findRefused, type RefusedFiles, reasonToSkip } from './find-refused.ts';
import { followImport, TransferIncomplete } from './follow-import.ts';
import { wholeNumberOf } from './import-fields.ts';
import { printLine } from './output.ts';
import type { FoundFolder, FoundVideo } from './read-folder.ts';
import { sendChanged } from './send-changed.ts';
import { openSentParts, type SentParts } from './sent-parts.ts';
import { hashOfMedia, MEDIA, printFault, printSkipped, readParts, sendPart } from './sidecar-parts.ts';
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
  for (const fault of found.faults) printFault(fault);
  const faults = found.faults.length === 1 ? '1 fault' : `${found.faults.length} faults`;
  const advice =
    `${faults} in sidecar files, see above. Correct the files of videos that were not imported, and run the command ` +
    'again. Change the others with millrace edit.';
  const total = found.collections.length + found.videos.length + found.withoutMedia.length;
  if (total === 0 && found.faults.length > 0) throw new TransferIncomplete(advice);
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
  if (found.faults.length > 0) failures.push(advice);
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
function withoutRefused({ videos, withoutMedia, ...found }: FoundFolder, refused: RefusedFiles): FoundFolder {
  const skipped = videos.flatMap((video) => {
    const noMediaReason = reasonToSkip(video, refused);
    return noMediaReason === null ? [] : [{ video, item: { ...video.item, noMediaReason } }];
  });
  const left = new Set(skipped.map(({ video }) => video));
  return {
    ...found,
    videos: videos.filter((video) => !left.has(video)),
    withoutMedia: [...withoutMedia, ...skipped.map(({ item }) => item)],
  };
}

/** The items of one import. */
type Part = Omit<FoundFolder, 'faults'>;

/** Splits a folder into parts of one import each. Every part has the collections of its videos. */
function partsOf({ collections, videos, withoutMedia }: FoundFolder, partItems: number): Part[] {
  // The collections of a part count towards the limits. Each part has at least one item.
  const maxItems = Math.max(1, Math.min(MAX_ITEMS, partItems) - collections.length);
  const maxBytes = MAX_PART_BYTES - bytesOf(collections);
  const parts: Part[] = [{ collections, videos: [], withoutMedia: [] }];
  let [items, bytes] = [0, 0];
  const room = (item: object): Part => {
    [items, bytes] = [items + 1, bytes + bytesOf(item)];
    if (items > maxItems || (bytes > maxBytes && items > 1)) {
      parts.push({ collections: [], videos: [], withoutMedia: [] });
      [items, bytes] = [1, bytesOf(item)];
    }
    // A part always exists.
    return parts.at(-1) as Part;
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

async function importPart(context: Context, { collections, videos, withoutMedia }: Part): Promise<void> {
  const { millrace, library: libraryId, pairs } = context;
  const items = [...collections, ...withoutMedia, ...videos.map(({ item }) => item)];
  const skipDuplicates = String(pairs.skipDuplicates) === 'true';
  const body = { source: 'upload' as const, items, dryRun: pairs.dryRun === true, skipDuplicates };
  const parts = await openSentParts(context);
  const { guid: importId } = await millrace.call('createImport', { libraryId, body });
  const sent = body.dryRun ? { refused: 0, lost: 0 } : await uploadOrCancel(context, { importId, videos, parts });
  // Otherwise the import would wait a week for the files that the service refused.
  if (sent.refused > 0) await millrace.call('cancelImport', { libraryId, importId });
  const changed = body.dryRun ? { lost: 0, others: 0 } : await sendChanged(context, { importId, videos, sent: parts });
  sent.lost += changed.lost;
  await followImport(context, libraryId, importId);
  if (sent.refused > 0) {
    const files = sent.refused === 1 ? '1 file was' : `${sent.refused} files were`;
    throw new TransferIncomplete(`${files} refused for the reasons above.`);
  }
  if (sent.lost > 0) {
    const files = sent.lost === 1 ? '1 sidecar file was' : `${sent.lost} sidecar files were`;
    throw new TransferIncomplete(`${files} refused for the reasons above. Correct them and run the command again.`);
  }
  if (changed.others > 0) {
    const files = changed.others === 1 ? '1 file was' : `${changed.others} files were`;
    throw new TransferIncomplete(`${files} not imported. Rename them to import them as other videos.`);
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

type Uploads = { importId: string; videos: readonly FoundVideo[]; parts: SentParts };
/** Number of media files that the service refused, and of sidecar files that imported videos lack. */
type Sent = { refused: number; lost: number };

/** Sends the files whose items are ready. The reason of each refusal has been printed. */
async function uploadFiles(context: Context, { importId, videos, parts }: Uploads): Promise<Sent> {
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
      await uploadFile({ ...context, sent, parts }, uploader, video);
    }
    if (ready.isOver) return sent;
    if (left.size > 0) await sleep(POLL_MS);
  }
  return sent;
}

/** Sends a file with its captions and image, and counts what the service refuses if other files may still succeed. */
async function uploadFile(
  { sent, parts, ...context }: Context & { sent: Sent; parts: SentParts },
  uploader: Millrace,
  video: FoundVideo,
): Promise<void> {
  const values = { ...context.values, title: video.item.title, 'no-wait': true };
  try {
    const lost = await attach(context, video, parts);
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
 * Sends captions and image before the file, so that an interrupted run sends them again. Returns how many the service
 * refused, which does not stop the import of the video.
 */
async function attach(context: Context, video: FoundVideo, sent: SentParts): Promise<number> {
  const videoId = video.item.guid;
  let refused = 0;
  await sent.store(videoId, MEDIA, hashOfMedia(video));
  for (const part of await readParts(video)) {
    // The import has set the marks.
    if (part.kind === 'marks') await sent.store(videoId, part.name, part.hash);
    else refused += (await sendPart(context, part, { videoId, sent })).refused;
  }
  return refused;
}
