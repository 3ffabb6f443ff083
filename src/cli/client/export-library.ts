import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { VideoModel } from '../../../sdk/src/millrace.ts';
import { readGuid } from '../../lib/guid.ts';
import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import type { Context } from './context.ts';
import { DownloadFailed, downloadFile, type RemoteFile } from './download-file.ts';
import { TransferIncomplete } from './follow-import.ts';
import { endProgress, printLine, printProgress } from './output.ts';
import { openZoneFiles, type ZoneFiles } from './zone-files.ts';

/** Names of export files that do not belong to a single video. */
export const EXPORT_FILES = { collections: 'collections.json', statistics: 'statistics.csv', sums: 'SHA256SUMS' };
/** Sizes and times of exported media, by which a later run notices changed files without reading all of them. */
const MARKS = '.export.json';

const [CREATED, UPLOAD_FAILED] = [0, 6];
/** Matches thumbnails that are frames of the video. An import creates them again. */
const MADE_THUMBNAIL = /^thumbnail(_[1-9])?\.jpg$/;
const SNIFFED_BYTES = 16;

type Mark = { sizeBytes: number; modifiedMs: number };
/** `names` contains the files in the folder, `sums` and `marks` the SHA-256 and size of exported media by name. */
type Exporting = {
  context: Context;
  files: ZoneFiles;
  folder: string;
  names: ReadonlySet<string>;
  sums: Map<string, string>;
  marks: Map<string, Mark>;
};

/**
 * `export [FOLDER]`: prints the collections and videos of a library as JSON lines, or writes a folder that `import
 * folder` restores with the same ids: originals (or the best MP4), captions, custom thumbnails, metadata, statistics
 * and checksums. A second run transfers only what is missing or was replaced.
 */
export async function exportLibrary(context: Context): Promise<void> {
  const [folder, ...more] = context.takes;
  if (more.length > 0) throw new Refused('invalid', `expected one folder, got ${context.takes.length}.`);
  const [unknown] = Object.keys(context.pairs);
  if (unknown !== undefined) throw new Refused('invalid', `expected no parameter, got ${unknown}=.`);
  if (folder === undefined) return await printLibrary(context);
  const files = await openZoneFiles(context);
  await mkdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw new Refused('invalid', `expected a folder that can be written, got ${folder} (${Object(cause).code}).`, {
      cause,
    });
  });
  const { millrace, library: libraryId } = context;
  await writeCollections(context, folder);
  const [sums, marks, names] = [await readSums(folder), await readMarks(folder), new Set(await readdir(folder))];
  const { totalItems } = await millrace.call('listVideos', { libraryId, itemsPerPage: 1 });
  let [done, exported, kept, empty] = [0, 0, 0, 0];
  const failures: string[] = [];
  for await (const video of millrace.pages('listVideos', { libraryId, itemsPerPage: 100, orderBy: 'date' })) {
    printProgress(`exporting ${done} of ${totalItems}`, done / Math.max(1, totalItems));
    done += 1;
    try {
      const isNew = await exportVideo({ context, files, folder, names, sums, marks }, video);
      if (!hasFile(video)) empty += 1;
      else if (isNew) exported += 1;
      else kept += 1;
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error;
      failures.push(['failed', video.guid, video.title, error.message].join('\t'));
    }
  }
  endProgress();
  const sorted = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1));
  await replaceFile(join(folder, EXPORT_FILES.sums), sorted.map(lineOf).join(''));
  await replaceFile(join(folder, MARKS), `${JSON.stringify(Object.fromEntries(marks))}\n`);
  await writeStatistics(context, folder);
  for (const failure of failures) printLine(failure);
  const without = empty === 0 ? '' : `, ${empty} without a file`;
  printLine(`${exported} exported, ${kept} unchanged, ${failures.length} failed${without}`);
  if (failures.length > 0)
    throw new TransferIncomplete(
      `${failures.length} of ${totalItems} videos could not be exported. Run the command again.`,
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

async function writeCollections({ millrace, library: libraryId }: Context, folder: string): Promise<void> {
  const collections: { guid: string; name: string }[] = [];
  for await (const { guid, name } of millrace.pages('listCollections', { libraryId })) {
    collections.push({ guid: String(guid), name: String(name) });
  }
  await replaceFile(join(folder, EXPORT_FILES.collections), `${JSON.stringify(collections, null, 2)}\n`);
}

/** Writes the views and the watch time of each day. */
async function writeStatistics({ millrace, library: libraryId }: Context, folder: string): Promise<void> {
  const range = { dateFrom: '2000-01-01', dateTo: new Date().toISOString().slice(0, 10) };
  const { viewsChart, watchTimeChart } = await millrace.call('getStatistics', { libraryId, ...range });
  const days = new Set([...Object.keys(viewsChart ?? {}), ...Object.keys(watchTimeChart ?? {})]);
  const rows = [...days]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((day) => [day.slice(0, 10), viewsChart?.[day] ?? 0, watchTimeChart?.[day] ?? 0] as const)
    .filter(([, views, watchSec]) => views > 0 || watchSec > 0);
  const text = ['date,views,watchTimeSec', ...rows.map((row) => row.join(','))].join('\n');
  await replaceFile(join(folder, EXPORT_FILES.statistics), `${text}\n`);
}

function hasFile({ status }: VideoModel): boolean {
  return status !== CREATED && status !== UPLOAD_FAILED;
}

/** Exports one video. Returns whether any file was transferred. */
async function exportVideo(exporting: Exporting, video: VideoModel): Promise<boolean> {
  const { folder } = exporting;
  // Both become file names.
  const isName = ({ srclang }: VideoModel['captions'][number]) => /^[\w-]{1,64}$/.test(String(srclang));
  if (readGuid(video.guid) === null || !video.captions.every(isName)) {
    throw new DownloadFailed('Expected a GUID and language codes of letters, digits and hyphens.');
  }
  const isNew = hasFile(video) && (await exportMedia(exporting, video));
  const captions = video.captions.map(({ srclang }) => String(srclang));
  for (const language of captions) {
    await fetchInto(exporting, `/${video.guid}/captions/${encodeURIComponent(language)}.vtt`, `${language}.vtt`);
  }
  const isDeleted = (name: string) =>
    name.startsWith(`${video.guid}.`) && name.endsWith('.vtt') && !captions.includes(name.slice(37, -4));
  for (const name of [...exporting.names].filter(isDeleted)) await rm(join(folder, name));
  if (video.thumbnailFileName !== null && !MADE_THUMBNAIL.test(video.thumbnailFileName)) {
    await fetchInto(exporting, `/${video.guid}/${encodeURIComponent(video.thumbnailFileName)}`, 'jpg');
  } else await rm(join(folder, `${video.guid}.jpg`), { force: true });
  // Written last, so that a video with metadata is complete.
  await replaceFile(join(folder, `${video.guid}.json`), `${JSON.stringify(video, null, 2)}\n`);
  return isNew;
}

/** Downloads a small file of a video next to its media. It may have changed, so it is always transferred. */
async function fetchInto({ files, folder }: Exporting, path: string, extension: string): Promise<void> {
  const target = join(folder, `${path.split('/')[1]}.${extension}`);
  await downloadFile(zoneFile(files, path), { target, sha256: null });
}

/** Downloads the media of a video, unless the folder contains an undamaged copy. Returns whether it was transferred. */
async function exportMedia(exporting: Exporting, video: VideoModel): Promise<boolean> {
  const { folder, names, sums } = exporting;
  const sha256 = video.hasOriginal === true ? video.originalHash : null;
  const existing = [...sums.keys()].find((name) => name.startsWith(`${video.guid}.`));
  if (existing !== undefined && names.has(existing)) {
    const isSame = sha256 === null ? await hasSameRenditions(folder, video) : sums.get(existing) === sha256;
    if (isSame && (await isIntact(exporting, existing))) return false;
    await rm(join(folder, existing));
    sums.delete(existing);
  }
  const target = join(folder, `${video.guid}.media`);
  const hash = await downloadFile(mediaOf(exporting, video), { target, sha256 });
  const name = `${video.guid}${await extensionOf(target)}`;
  await rename(target, join(folder, name));
  sums.set(name, hash);
  exporting.marks.set(name, await markOf(join(folder, name)));
  // If a file has several lines, the last one is valid. The end of the export writes one line per file.
  await appendFile(join(folder, EXPORT_FILES.sums), lineOf([name, hash]));
  return true;
}

async function markOf(path: string): Promise<Mark> {
  const { size, mtimeMs } = await stat(path);
  return { sizeBytes: size, modifiedMs: mtimeMs };
}

/** Returns whether an exported file has its recorded size and time, or else its recorded SHA-256. */
async function isIntact({ folder, sums, marks }: Exporting, name: string): Promise<boolean> {
  const path = join(folder, name);
  const [mark, now] = [marks.get(name), await markOf(path)];
  if (mark?.sizeBytes === now.sizeBytes && mark.modifiedMs === now.modifiedMs) return true;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  if (hash.digest('hex') !== sums.get(name)) return false;
  marks.set(name, now);
  return true;
}

/** Returns whether the exported metadata have the same renditions, so that the MP4 file is the same too. */
async function hasSameRenditions(folder: string, video: VideoModel): Promise<boolean> {
  const text = await readFile(join(folder, `${video.guid}.json`), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '{}';
    throw error;
  });
  const before: Partial<VideoModel> = JSON.parse(text);
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

/** Returns the usual file name extension of a media file, from its first bytes. */
async function extensionOf(file: string): Promise<string> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0).finally(() => handle.close());
  const text = buffer.toString('latin1');
  if (text.startsWith('\x1a\x45\xdf\xa3')) return '.mkv';
  if (text.startsWith('RIFF')) return text.slice(8, 12) === 'WAVE' ? '.wav' : '.avi';
  if (text.startsWith('OggS')) return '.ogv';
  if (text.startsWith('fLaC')) return '.flac';
  if (text.startsWith('FLV')) return '.flv';
  if (text.startsWith('ID3') || /^\xff[\xe2-\xff]/.test(text)) return '.mp3';
  if (text.startsWith('\0\0\x01\xba')) return '.mpg';
  if (text.startsWith('\x30\x26\xb2\x75')) return '.wmv';
  if (text.startsWith('G')) return '.ts';
  return text.slice(4, 12) === 'ftypqt  ' ? '.mov' : '.mp4';
}

/** Returns a line as `sha256sum` writes it. */
function lineOf([name, sum]: readonly [name: string, sum: string]): string {
  return `${sum}  ${name}\n`;
}

/** A file that is missing or unreadable costs only time, because the next run reads the media again. */
async function readMarks(folder: string): Promise<Map<string, Mark>> {
  try {
    return new Map(Object.entries(JSON.parse(await readFile(join(folder, MARKS), 'utf8'))));
  } catch {
    return new Map();
  }
}

async function readSums(folder: string): Promise<Map<string, string>> {
  try {
    const text = await readFile(join(folder, EXPORT_FILES.sums), 'utf8');
    return new Map([...text.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, sum = '', name = '']) => [name, sum]));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return new Map();
    throw error;
  }
}
