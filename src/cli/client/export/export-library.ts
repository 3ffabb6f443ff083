import type { VideoModel } from '../../../../sdk/src/millrace.ts';
import { isMedium } from '../../../catalog/imports/sidecars.ts';
import { readGuid } from '../../../lib/guid.ts';
import { Refused } from '../../../lib/refused.ts';
import type { Context } from '../context.ts';
import { TransferIncomplete } from '../follow-import.ts';
import { endProgress, printLine, printProgress } from '../output.ts';
import { DownloadFailed, type RemoteFile } from '../transfer-fault.ts';
import { openZoneFiles, type ZoneFiles } from '../zone-files.ts';
import { openBucketTarget } from './bucket-target.ts';
import { EXPORT_FILES, type ExportTarget } from './export-target.ts';
import { openFolderTarget } from './folder-target.ts';

/** Marks of exported media, by which a later run notices changed files without reading all of them. */
const MARKS = '.export.json';
/** Time after which an export saves checksums and marks. Those of later files are read again after a failure. */
const SAVE_MS = 10_000;

const GUID_CHARS = 36;
const [CREATED, UPLOAD_FAILED] = [0, 6];
const UNKNOWN = { sha256: null, maxBytes: null };
/** Thumbnails that are frames of the video, which an import makes again. */
const MADE_THUMBNAIL = /^thumbnail(_[1-9])?\.jpg$/;

/** `sums` and `marks` have the SHA-256 and the mark of exported media by name, `before` earlier files by GUID. */
type Exporting = {
  context: Context;
  files: ZoneFiles;
  target: ExportTarget;
  sums: Map<string, string>;
  marks: Map<string, string>;
  before: ReadonlyMap<string, readonly string[]>;
};

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
  const target = await (place.startsWith('s3:') ? openBucketTarget(place) : openFolderTarget(place));
  try {
    const [sums, marks] = [await readSums(target), await readMarks(target)];
    const before = new Map<string, string[]>();
    for (const name of new Set([...target.names(), ...sums.keys()])) {
      const guid = name.slice(0, GUID_CHARS);
      before.set(guid, [...(before.get(guid) ?? []), name]);
    }
    await exportInto({ context, files, target, sums, marks, before });
  } finally {
    await target.close();
  }
}

async function exportInto(exporting: Exporting): Promise<void> {
  const { context, target } = exporting;
  const { millrace, library: libraryId } = context;
  await writeCollections(context, target);
  const { totalItems } = await millrace.call('listVideos', { libraryId, itemsPerPage: 1 });
  let [done, exported, kept, empty, savedMs] = [0, 0, 0, 0, Date.now()];
  const failures: string[] = [];
  for await (const video of millrace.pages('listVideos', { libraryId, itemsPerPage: 100, orderBy: 'date' })) {
    printProgress(`exporting ${done} of ${totalItems}`, done / Math.max(1, totalItems));
    done += 1;
    try {
      const isNew = await exportVideo(exporting, video);
      if (!hasFile(video)) empty += 1;
      else if (isNew) exported += 1;
      else kept += 1;
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error;
      failures.push(['failed', video.guid, video.title, error.message].join('\t'));
    }
    if (Date.now() - savedMs < SAVE_MS) continue;
    await saveState(exporting);
    savedMs = Date.now();
  }
  endProgress();
  await saveState(exporting);
  await writeStatistics(context, target);
  for (const failure of failures) printLine(failure);
  const without = empty === 0 ? '' : `, ${empty} without a file`;
  printLine(`${exported} exported, ${kept} unchanged, ${failures.length} failed${without}`);
  if (failures.length > 0)
    throw new TransferIncomplete(
      `${failures.length} of ${totalItems} videos could not be exported. Run the command again.`,
    );
}

/** Writes the checksums as `sha256sum` does, and the marks. */
async function saveState({ target, sums, marks }: Exporting): Promise<void> {
  const sorted = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1));
  await target.writeText(EXPORT_FILES.sums, sorted.map(([name, sum]) => `${sum}  ${name}\n`).join(''));
  await target.writeText(MARKS, `${JSON.stringify(Object.fromEntries(marks))}\n`);
}

async function printLibrary({ millrace, library: libraryId }: Context): Promise<void> {
  for await (const collection of millrace.pages('listCollections', { libraryId })) {
    printLine(JSON.stringify({ kind: 'collection', ...collection }));
  }
  for await (const video of millrace.pages('listVideos', { libraryId, itemsPerPage: 1000 })) {
    printLine(JSON.stringify({ kind: 'video', ...video }));
  }
}

async function writeCollections({ millrace, library: libraryId }: Context, target: ExportTarget): Promise<void> {
  const collections: { guid: string; name: string }[] = [];
  for await (const { guid, name } of millrace.pages('listCollections', { libraryId })) {
    collections.push({ guid: String(guid), name: String(name) });
  }
  await target.writeText(EXPORT_FILES.collections, `${JSON.stringify(collections, null, 2)}\n`);
}

/** Writes the views and the watch time of each day. */
async function writeStatistics({ millrace, library: libraryId }: Context, target: ExportTarget): Promise<void> {
  const range = { dateFrom: '2000-01-01', dateTo: new Date().toISOString().slice(0, 10) };
  const { viewsChart, watchTimeChart } = await millrace.call('getStatistics', { libraryId, ...range });
  const days = new Set([...Object.keys(viewsChart ?? {}), ...Object.keys(watchTimeChart ?? {})]);
  const rows = [...days]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((day) => [day.slice(0, 10), viewsChart?.[day] ?? 0, watchTimeChart?.[day] ?? 0] as const)
    .filter(([, views, watchSec]) => views > 0 || watchSec > 0);
  const text = ['date,views,watchTimeSec', ...rows.map((row) => row.join(','))].join('\n');
  await target.writeText(EXPORT_FILES.statistics, `${text}\n`);
}

function hasFile({ status }: VideoModel): boolean {
  return status !== CREATED && status !== UPLOAD_FAILED;
}

/** Exports one video. Returns whether its media was transferred. */
async function exportVideo(exporting: Exporting, video: VideoModel): Promise<boolean> {
  const { files, target } = exporting;
  // Both become file names.
  const isName = ({ srclang }: VideoModel['captions'][number]) => /^[\w-]{1,64}$/.test(String(srclang));
  const { guid, thumbnailFileName } = video;
  if (readGuid(guid) === null || !video.captions.every(isName)) {
    throw new DownloadFailed('Expected a GUID and language codes of letters, digits and hyphens.');
  }
  const before = exporting.before.get(guid) ?? [];
  const isNew = hasFile(video) && (await exportMedia(exporting, video, before));
  // These may have changed, so they are always transferred.
  const attached = new Map(
    video.captions.map(({ srclang }) => [
      `.${srclang}.vtt`,
      `/${guid}/captions/${encodeURIComponent(String(srclang))}.vtt`,
    ]),
  );
  if (thumbnailFileName !== null && !MADE_THUMBNAIL.test(thumbnailFileName)) {
    attached.set('.jpg', `/${guid}/${encodeURIComponent(thumbnailFileName)}`);
  }
  for (const [extension, path] of attached) {
    await target.writeFile({ file: zoneFile(files, path), stem: guid, extension, ...UNKNOWN });
  }
  const isDeleted = (name: string) => /\.(vtt|jpg)$/.test(name) && !attached.has(name.slice(guid.length));
  for (const name of before.filter(isDeleted)) await target.remove(name);
  // Written last, so that a video with metadata is complete.
  await target.writeText(`${guid}.json`, `${JSON.stringify(video, null, 2)}\n`);
  return isNew;
}

/** Transfers the media of a video, unless the target has it undamaged. Returns whether it was transferred. */
async function exportMedia(exporting: Exporting, video: VideoModel, before: readonly string[]): Promise<boolean> {
  const { target, sums, marks } = exporting;
  const sha256 = video.hasOriginal === true ? video.originalHash : null;
  const media = before.filter(isMedium);
  for (const name of media) {
    if (target.has(name) && (await isSame(exporting, { video, name, sha256 }))) return false;
  }
  const { name, sha256: sum } = await target.writeFile({
    file: mediaOf(exporting, video),
    stem: video.guid,
    extension: null,
    sha256,
    // All stored files of the video.
    maxBytes: video.storageSize,
  });
  for (const old of media.filter((one) => one !== name)) {
    await target.remove(old);
    sums.delete(old);
    marks.delete(old);
  }
  sums.set(name, sum);
  marks.set(name, await target.markOf(name));
  return true;
}

type Existing = { video: VideoModel; name: string; sha256: string | null };

/** Returns whether a file is undamaged and has the content of the video. Reads it only if its mark changed. */
async function isSame({ target, sums, marks }: Exporting, { video, name, sha256 }: Existing): Promise<boolean> {
  // An interrupted export may not have saved the checksum.
  const expected = sums.get(name) ?? sha256;
  if (expected === null) return false;
  if (sha256 === null ? !(await hasSameRenditions(target, video)) : expected !== sha256) return false;
  const mark = await target.markOf(name);
  if (marks.get(name) !== mark || !sums.has(name)) {
    if ((await target.hashOf(name)) !== expected) return false;
    sums.set(name, expected);
    marks.set(name, mark);
  }
  return true;
}

/** Returns whether the exported metadata have the same renditions, so that the MP4 file is the same too. */
async function hasSameRenditions(target: ExportTarget, video: VideoModel): Promise<boolean> {
  const before: Partial<VideoModel> = JSON.parse((await target.readText(`${video.guid}.json`)) ?? '{}');
  const marks = ['originalHash', 'storageSize', 'availableResolutions', 'length'] as const;
  return marks.every((name) => before[name] === video[name]);
}

/** Returns the original of a video, or else the largest MP4. */
function mediaOf({ context, files }: Exporting, video: VideoModel): RemoteFile {
  const { millrace, library: libraryId } = context;
  const videoId = video.guid;
  if (video.hasOriginal === true) {
    const request = (fromByte: number) => millrace.call('getOriginal', { libraryId, videoId, fromByte });
    return { name: 'original', skips: true, request };
  }
  const heights = video.availableResolutions.split(',').map((text) => Number.parseInt(text, 10));
  const height = Math.max(0, ...heights.filter((one) => one > 0));
  if (video.hasMP4Fallback && height > 0) return zoneFile(files, `/${videoId}/play_${height}p.mp4`);
  throw new DownloadFailed('The library keeps neither originals nor MP4 files of this video.');
}

function zoneFile(files: ZoneFiles, path: string): RemoteFile {
  return { name: path, skips: false, request: (fromByte) => files(path, fromByte) };
}

/** A file that is missing or unreadable costs only time, because the next run reads the media again. */
async function readMarks(target: ExportTarget): Promise<Map<string, string>> {
  const text = await target.readText(MARKS);
  try {
    return new Map(Object.entries(JSON.parse(text ?? '{}')));
  } catch {
    return new Map();
  }
}

async function readSums(target: ExportTarget): Promise<Map<string, string>> {
  const text = (await target.readText(EXPORT_FILES.sums)) ?? '';
  return new Map([...text.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, sum = '', name = '']) => [name, sum]));
}
