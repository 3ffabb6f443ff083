import { ApiError } from '../../../sdk/src/millrace.ts';
import { MAX_COMMENTS } from '../../catalog/comments/comment.ts';
import { AUDIO_FILE } from '../../catalog/shield/admission/edge-path.ts';
import { openExportBucket } from '../../compose/open-export-bucket.ts';
import { readExportPlace } from '../../config/read-export-place.ts';
import { openBucketTarget } from '../../jobs/exports/bucket-target.ts';
import type { ExportedFile, ExportSource } from '../../jobs/exports/export-source.ts';
import type { ExportTarget } from '../../jobs/exports/export-target.ts';
import { type ExportWriter, openExportWriter } from '../../jobs/exports/export-writer.ts';
import { openFolderTarget } from '../../jobs/exports/folder-target.ts';
import { DownloadFailed, retryTransfer } from '../../jobs/exports/transfer-fault.ts';
import { reasonOf } from '../../lib/mask-paths.ts';
import { Refused } from '../../lib/refused.ts';
import type { Context } from './context.ts';
import { TransferIncomplete } from './follow-import.ts';
import { endProgress, printLine, printProgress } from './output.ts';
import { openZoneFiles, type ZoneFiles } from './zone-files.ts';

/** Time after which an export saves checksums and marks. Those of later files are read again after a failure. */
const SAVE_MS = 10_000;

/**
 * `export [FOLDER|s3://BUCKET/PREFIX]`: prints the collections and videos of a library as JSON lines, or writes files
 * that `import folder` or `import s3` restores with the same ids: originals (or the best MP4), captions, custom
 * thumbnails, metadata, statistics and checksums. A second run transfers only what is missing or was replaced.
 */
export async function exportLibrary(context: Context): Promise<void> {
  const [place, ...more] = context.takes;
  if (more.length > 0) throw new Refused('invalid', `expected one destination, got ${context.takes.length}.`);
  const [unknown] = Object.keys(context.pairs);
  if (unknown !== undefined) throw new Refused('invalid', `expected no parameter, got ${unknown}=.`);
  if (place === undefined) return await printLibrary(context);
  const files = await openZoneFiles(context);
  const target = await openTarget(place);
  try {
    await exportVideos(context, await openExportWriter(sourceOf(context, files), target));
  } finally {
    await target.close();
  }
}

async function openTarget(place: string): Promise<ExportTarget> {
  // The process ends with an interrupted command, so nothing is aborted.
  const { signal } = new AbortController();
  if (!place.startsWith('s3:')) return await openFolderTarget(place, signal);
  const onUnswept = (error: unknown) =>
    printLine(`Parts of interrupted exports could not be removed: ${reasonOf(error)}`);
  return await openBucketTarget(await openExportBucket(readExportPlace(place), { onUnswept }, signal), signal);
}

async function exportVideos({ millrace, library: libraryId }: Context, writer: ExportWriter): Promise<void> {
  await writer.writeCollections();
  await writer.writeSettings();
  const { totalItems } = await millrace.call('listVideos', { libraryId, itemsPerPage: 1 });
  const counts = { exported: 0, unchanged: 0, empty: 0 };
  let [done, savedMs] = [0, Date.now()];
  const failures: string[] = [];
  let isWorthAgain = false;
  for await (const video of millrace.pages('listVideos', { libraryId, itemsPerPage: 100, orderBy: 'date' })) {
    printProgress(`exporting ${done} of ${totalItems}`, done / Math.max(1, totalItems));
    done += 1;
    try {
      counts[await writer.writeVideo(video)] += 1;
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error;
      if (await isDeleted(millrace, { libraryId, videoId: video.guid })) continue;
      failures.push(['failed', video.guid, video.title, error.message].join('\t'));
      isWorthAgain ||= !error.isPermanent;
    }
    if (Date.now() - savedMs < SAVE_MS) continue;
    await writer.save();
    savedMs = Date.now();
  }
  endProgress();
  await writer.save();
  await writer.writeStatistics();
  for (const failure of failures) printLine(failure);
  const without = counts.empty === 0 ? '' : `, ${counts.empty} without a file`;
  printLine(`${counts.exported} exported, ${counts.unchanged} unchanged, ${failures.length} failed${without}`);
  if (failures.length === 0) return;
  const advice = isWorthAgain ? 'Run the command again later.' : 'Fix the reasons above before you run it again.';
  throw new TransferIncomplete(`${failures.length} of ${totalItems} videos could not be exported. ${advice}`);
}

/** A video may be deleted between the list and its transfer. */
async function isDeleted(millrace: Context['millrace'], key: { libraryId: number; videoId: string }): Promise<boolean> {
  return await millrace.call('getVideo', key).then(
    () => false,
    (error: unknown) => error instanceof ApiError && error.status === 404,
  );
}

async function printLibrary({ millrace, library: libraryId }: Context): Promise<void> {
  for await (const collection of millrace.pages('listCollections', { libraryId })) {
    printLine(JSON.stringify({ kind: 'collection', ...collection }));
  }
  for await (const video of millrace.pages('listVideos', { libraryId, itemsPerPage: 1000 })) {
    printLine(JSON.stringify({ kind: 'video', ...video }));
  }
}

/** Reads a library over the API, and its files from its pull zone. */
function sourceOf({ millrace, library: libraryId }: Context, files: ZoneFiles): ExportSource {
  return {
    async *collections() {
      for await (const { guid, name } of millrace.pages('listCollections', { libraryId })) {
        const key = { libraryId, collectionId: String(guid) };
        const { order, videos } = await millrace.call('getVideoOrder', key);
        const videoIds = order === 'manual' ? videos.map((video) => video.guid) : [];
        yield { guid: String(guid), name: String(name), videoOrder: order, videoIds };
      }
    },
    async comments(videoId) {
      return (
        await ask('comments', () => millrace.call('listComments', { libraryId, videoId, itemsPerPage: MAX_COMMENTS }))
      ).items;
    },
    async extras(videoId) {
      const extras = await ask('extras', () => millrace.call('getVideoExtras', { libraryId, videoId }));
      // Older services have no statistics here.
      return { ...extras, statistics: extras.statistics ?? [] };
    },
    settings: async () => await millrace.call('getLibrarySettings', { libraryId }),
    async statistics() {
      const range = { dateFrom: '2000-01-01', dateTo: new Date().toISOString().slice(0, 10) };
      return await millrace.call('getStatistics', { libraryId, ...range });
    },
    file({ guid: videoId }, file) {
      if (file.kind === 'original') {
        const request = (fromByte: number) => millrace.call('getOriginal', { libraryId, videoId, fromByte });
        return { name: 'original', skips: true, request };
      }
      const path = pathOf(videoId, file);
      return { name: path, skips: false, request: (fromByte) => files(path, fromByte) };
    },
  };
}

/** Repeats a request after a lost connection. */
function ask<Value>(what: string, request: () => Promise<Value>): Promise<Value> {
  return retryTransfer(what, async () => ({ value: await request() }), new AbortController().signal);
}

/** Returns the path of a file in the pull zone. */
function pathOf(guid: string, file: Exclude<ExportedFile, { kind: 'original' }>): string {
  switch (file.kind) {
    case 'mp4':
      return `/${guid}/play_${file.heightPx}p.mp4`;
    case 'audio':
      return `/${guid}/${AUDIO_FILE}`;
    case 'captions':
      return `/${guid}/captions/${encodeURIComponent(file.srclang)}.vtt`;
    case 'thumbnail':
      return `/${guid}/${encodeURIComponent(file.fileName)}`;
  }
}
