import { stat } from 'node:fs/promises';
import { ALREADY_HERE } from '../../catalog/imports/library-import.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';
import type { FoundVideo } from './read-folder.ts';
import type { SentParts } from './sent-parts.ts';
import { hashOfMedia, MEDIA, readParts, type SidecarPart, sendPart } from './sidecar-parts.ts';

const PAGE_ITEMS = 1_000;

/**
 * Sends captions, images and marks again whose files have changed since their videos were imported, and prints each.
 * Returns the number of files that the service refused. Leaves everything else of the videos as it is, because it may
 * have been edited there.
 */
export async function sendChanged(
  context: Context,
  { importId, videos, sent }: { importId: string; videos: readonly FoundVideo[]; sent: SentParts },
): Promise<number> {
  const here = await findHere(context, importId);
  let earlier: ReadonlyMap<string, Imported> | null = null;
  let refused = 0;
  for (const video of videos) {
    const videoId = video.item.guid;
    if (!here.has(videoId)) continue;
    const media = hashOfMedia(video);
    const sentMedia = sent.hashOf(videoId, MEDIA);
    if (sentMedia === null) earlier ??= await findImported(context, here);
    // A file of another folder may have the same name, and so the same GUID.
    const sizeBytes = earlier?.get(videoId)?.sizeBytes ?? null;
    if (sentMedia === null ? sizeBytes !== null && sizeBytes !== video.item.sizeBytes : sentMedia !== media) continue;
    if (sentMedia === null) await sent.store(videoId, MEDIA, media);
    for (const part of await readParts(video)) {
      const hash = sent.hashOf(videoId, part.name);
      if (hash === part.hash) continue;
      // Another machine may have sent this part.
      if (hash === null) earlier ??= await findImported(context, here);
      const importedMs = earlier?.get(videoId)?.beganMs ?? null;
      if (hash === null && !(await isNewer(context, part, { videoId, importedMs }))) {
        await sent.store(videoId, part.name, part.hash);
        continue;
      }
      const lost = await sendPart(context, part, { videoId, sent });
      refused += lost;
      if (sent.hashOf(videoId, part.name) === part.hash) report(context, videoId, part);
    }
  }
  return refused;
}

function report({ values }: Context, guid: string, { name, paths }: SidecarPart): void {
  const [file = null] = paths;
  printLine(values.json ? JSON.stringify({ guid, file, replaced: name }) : ['replaced', guid, name, file].join('\t'));
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

/** Returns whether a part was changed after its video was imported, or captions that were refused are missing. */
async function isNewer(
  { millrace, library: libraryId }: Context,
  part: SidecarPart,
  { videoId, importedMs }: { videoId: string; importedMs: number | null },
): Promise<boolean> {
  for (const path of part.paths) if (importedMs !== null && (await stat(path)).mtimeMs > importedMs) return true;
  if (part.kind !== 'captions') return false;
  const { captions } = await millrace.call('getVideo', { libraryId, videoId });
  return !captions.some(({ srclang }) => srclang === part.captions[0]?.srclang);
}
