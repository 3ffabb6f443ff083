import { stat } from 'node:fs/promises';
import { ALREADY_HERE } from '../../catalog/imports/library-import.ts';
import type { Context } from './context.ts';
import { printLine } from './output.ts';
import type { FoundVideo } from './read-folder.ts';
import type { SentParts } from './sent-parts.ts';
import { readParts, type SidecarPart, sendPart } from './sidecar-parts.ts';

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
  let dates: Map<string, number> | null = null;
  let refused = 0;
  for (const video of videos) {
    const videoId = video.item.guid;
    if (!here.has(videoId)) continue;
    for (const part of await readParts(video)) {
      const hash = sent.hashOf(videoId, part.name);
      if (hash === part.hash) continue;
      // Another machine may have sent this part.
      dates ??= hash === null ? await findDates(context, here) : null;
      if (hash === null && !(await isNewer(context, part, { videoId, importedMs: dates?.get(videoId) ?? null }))) {
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

/** Returns when the imports began that imported these videos, in ms. */
async function findDates(context: Context, guids: ReadonlySet<string>): Promise<Map<string, number>> {
  const { millrace, library: libraryId } = context;
  const dates = new Map<string, number>();
  for await (const { guid: importId, dateCreated, counts } of millrace.pages('listImports', { libraryId })) {
    if (counts.imported === 0) continue;
    for await (const { guid } of itemsOf(context, importId, 'imported')) {
      if (guids.has(guid) && !dates.has(guid)) dates.set(guid, Date.parse(`${dateCreated}Z`));
    }
    if (dates.size === guids.size) break;
  }
  return dates;
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
