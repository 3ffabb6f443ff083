import { stat } from 'node:fs/promises';
import { ALREADY_HERE } from '../../catalog/imports/library-import.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';
import type { FoundVideo } from './read-folder.ts';
import type { SentParts } from './sent-parts.ts';
import { hashOfMedia, MEDIA, printFault, readParts, type SidecarPart, sendPart } from './sidecar-parts.ts';

const PAGE_ITEMS = 1_000;

/**
 * Sends captions, images and marks again whose files have changed since their videos were imported, and prints each.
 * Leaves everything else of the videos as it is, because it may have been edited there. Returns the number of files
 * that the service refused (`lost`), and of media files that are not imported because another file has their GUID
 * (`others`).
 */
export async function sendChanged(
  context: Context,
  { importId, videos, sent }: { importId: string; videos: readonly FoundVideo[]; sent: SentParts },
): Promise<{ lost: number; others: number }> {
  const here = await findHere(context, importId);
  let earlier: ReadonlyMap<string, Imported> | null = null;
  let [lost, others] = [0, 0];
  for (const video of videos) {
    const videoId = video.item.guid;
    if (!here.has(videoId)) continue;
    const media = hashOfMedia(video);
    const sentMedia = sent.hashOf(videoId, MEDIA);
    if (sentMedia === null) earlier ??= await findImported(context, here);
    // A file of another folder may have the same name, and so the same GUID.
    const sizeBytes = earlier?.get(videoId)?.sizeBytes ?? null;
    if (sentMedia === null ? sizeBytes !== null && sizeBytes !== video.item.sizeBytes : sentMedia !== media) {
      printFault(
        `${video.path} is not imported: video ${videoId} was imported from a file of this name and another size.`,
      );
      others += 1;
      continue;
    }
    if (sentMedia === null) await sent.store(videoId, MEDIA, media);
    for (const part of await readParts(video)) {
      const hash = sent.hashOf(videoId, part.name);
      if (hash === part.hash) continue;
      // Without a record of the media file, another machine may have sent this part.
      if (hash === null && sentMedia === null) {
        const importedMs = earlier?.get(videoId)?.beganMs ?? null;
        if (!(await isNewer(part, importedMs))) {
          await sent.store(videoId, part.name, part.hash);
          continue;
        }
      }
      const { refused, sentPath } = await sendPart(context, part, { videoId, sent });
      lost += refused;
      if (sentPath !== null) report(context, { guid: videoId, replaced: part.name, file: sentPath });
    }
  }
  return { lost, others };
}

type Replaced = { guid: string; replaced: string; file: string };

function report({ values }: Context, part: Replaced): void {
  const { guid, replaced, file } = part;
  printLine(values.json ? JSON.stringify(part) : ['replaced', guid, replaced, file].join('\t'));
}

/** Returns the GUIDs of the videos that the import skipped, because earlier imports imported them. */
async function findHere(context: Context, importId: string): Promise<ReadonlySet<string>> {
  const here = new Set<string>();
  for await (const { guid, reason } of itemsOf(context, importId, 'skipped')) {
    if (reason === ALREADY_HERE) here.add(guid);
  }
  return here;
}

/** Time in ms when the import of a video began, and the size of its file. */
type Imported = { beganMs: number; sizeBytes: number | null };

async function findImported(context: Context, guids: ReadonlySet<string>): Promise<Map<string, Imported>> {
  const { millrace, library: libraryId } = context;
  const found = new Map<string, Imported>();
  for await (const { guid: importId, dateCreated, counts } of millrace.pages('listImports', { libraryId })) {
    if (counts.imported === 0) continue;
    const beganMs = Date.parse(`${dateCreated}Z`);
    for await (const { guid, sizeBytes } of itemsOf(context, importId, 'imported')) {
      if (guids.has(guid) && !found.has(guid)) found.set(guid, { beganMs, sizeBytes });
    }
    if (found.size === guids.size) break;
  }
  return found;
}

async function* itemsOf({ millrace, library: libraryId }: Context, importId: string, state: 'skipped' | 'imported') {
  for (let page = 1; ; page += 1) {
    const read = await millrace.call('getImport', { libraryId, importId, state, page, itemsPerPage: PAGE_ITEMS });
    yield* read.items;
    if (page * read.itemsPerPage >= read.totalItems) return;
  }
}

/** Returns whether a file of a part was modified after the import of its video began. */
async function isNewer({ paths }: SidecarPart, importedMs: number | null): Promise<boolean> {
  for (const path of paths) if (importedMs !== null && (await stat(path)).mtimeMs > importedMs) return true;
  return false;
}
