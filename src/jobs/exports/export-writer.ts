import { isMedium } from '../../catalog/imports/sidecars.ts';
import { chooseMp4Rung } from '../../catalog/publications/mp4-rungs.ts';
import { readGuid } from '../../lib/guid.ts';
import type { ExportedCollection, ExportedFile, ExportedReply, ExportedVideo, ExportSource } from './export-source.ts';
import { EXPORT_FILES, type ExportTarget } from './export-target.ts';
import { DownloadFailed } from './transfer-fault.ts';

/** Marks of exported media, by which a later run notices changed files without reading all of them. */
const MARKS = '.export.json';

const GUID_CHARS = 36;
const [CREATED, FINISHED, FAILED, UPLOAD_FAILED] = [0, 4, 5, 6];
const NOT_UPLOADED = 'The library has no file of this video, because no upload was completed.';
const NOT_PROCESSED = 'The file of this video could not be processed, and the library does not keep it.';
const NOT_KEPT = 'The library keeps neither originals nor MP4 files of this video.';
const STILL_ENCODED = 'This video is still being encoded. Run the export again later.';
const UNKNOWN = { sha256: null, maxBytes: null };
/** End of the name of a file with comments. */
const COMMENTS = '.comments.json';
/** Thumbnails that are frames of the video, which an import makes again. */
const MADE_THUMBNAIL = /^thumbnail(_[1-9])?\.jpg$/;

/** Writes a library into a destination, so that `import folder` or `import s3` restores it with the same ids. */
export type ExportWriter = {
  /**
   * Writes the media of a video unless the destination has them undamaged, and its captions, thumbnail, comments and
   * metadata. Throws `DownloadFailed` if a file cannot be read, and after writing the rest if the library has media but
   * keeps no file of them, or has no file yet. May run for several videos at once.
   */
  writeVideo(video: ExportedVideo): Promise<'exported' | 'unchanged' | 'empty'>;
  writeCollections(): Promise<void>;
  writeSettings(): Promise<void>;
  writeStatistics(): Promise<void>;
  /** Saves checksums and marks. Without them, a later run reads the media that were written before. */
  save(): Promise<void>;
};

/** `sums` and `marks` have the SHA-256 and the mark of exported media by name, `before` earlier files by GUID. */
type Exporting = {
  source: ExportSource;
  target: ExportTarget;
  sums: Map<string, string>;
  marks: Map<string, string>;
  before: ReadonlyMap<string, readonly string[]>;
};

/** Reads what earlier runs wrote into the destination, and continues from there. */
export async function openExportWriter(source: ExportSource, target: ExportTarget): Promise<ExportWriter> {
  const [sums, marks] = [await readSums(target), await readMarks(target)];
  const before = new Map<string, string[]>();
  for (const name of new Set([...target.names(), ...sums.keys()])) {
    // The destination may have many other files.
    const guid = readGuid(name.slice(0, GUID_CHARS));
    if (guid === null) continue;
    const names = before.get(guid);
    if (names === undefined) before.set(guid, [name]);
    else names.push(name);
  }
  const exporting = { source, target, sums, marks, before };
  return {
    writeVideo: (video) => writeVideo(exporting, video),
    writeCollections: () => writeCollections(source, target),
    writeSettings: async () => await target.writeText(EXPORT_FILES.settings, toJson(await source.settings())),
    writeStatistics: () => writeStatistics(source, target),
    save: () => saveState(exporting),
  };
}

function toJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Writes the checksums as `sha256sum` does, and the marks. */
async function saveState({ target, sums, marks }: Exporting): Promise<void> {
  const sorted = [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1));
  await target.writeText(EXPORT_FILES.sums, sorted.map(([name, sum]) => `${sum}  ${name}\n`).join(''));
  await target.writeText(MARKS, `${JSON.stringify(Object.fromEntries(marks))}\n`);
}

async function writeCollections(source: ExportSource, target: ExportTarget): Promise<void> {
  const collections: ExportedCollection[] = [];
  for await (const collection of source.collections()) collections.push(collection);
  await target.writeText(EXPORT_FILES.collections, toJson(collections));
}

/** Writes the views and the watch time of each day. */
async function writeStatistics(source: ExportSource, target: ExportTarget): Promise<void> {
  const { viewsChart, watchTimeChart } = await source.statistics();
  const days = new Set([...Object.keys(viewsChart ?? {}), ...Object.keys(watchTimeChart ?? {})]);
  const rows = [...days]
    .toSorted((one, other) => (one < other ? -1 : 1))
    .map((day) => [day.slice(0, 10), viewsChart?.[day] ?? 0, watchTimeChart?.[day] ?? 0] as const)
    .filter(([, views, watchSec]) => views > 0 || watchSec > 0);
  const text = ['date,views,watchTimeSec', ...rows.map((row) => row.join(','))].join('\n');
  await target.writeText(EXPORT_FILES.statistics, `${text}\n`);
}

async function writeVideo(exporting: Exporting, video: ExportedVideo): Promise<'exported' | 'unchanged' | 'empty'> {
  const { source, target } = exporting;
  // Both become file names.
  const isName = ({ srclang }: ExportedVideo['captions'][number]) => /^[\w-]{1,64}$/.test(String(srclang));
  const { guid, thumbnailFileName } = video;
  if (readGuid(guid) === null || !video.captions.every(isName)) {
    throw new DownloadFailed('Expected a GUID and language codes of letters, digits and hyphens.');
  }
  const before = exporting.before.get(guid) ?? [];
  const media = mediaOf(video);
  const written = typeof media === 'string' ? media : await writeIfOffered(exporting, { video, media }, before);
  const noMediaReason = typeof written === 'string' ? written : null;
  // These may have changed, so they are always transferred.
  const attached = new Map(
    video.captions.map(({ srclang }): [string, ExportedFile] => [
      `.${srclang}.vtt`,
      { kind: 'captions', srclang: String(srclang) },
    ]),
  );
  if (thumbnailFileName !== null && !MADE_THUMBNAIL.test(thumbnailFileName)) {
    attached.set('.jpg', { kind: 'thumbnail', fileName: thumbnailFileName });
  }
  for (const [extension, file] of attached) {
    await target.writeFile({ file: source.file(video, file), stem: guid, extension, ...UNKNOWN });
  }
  const hasComments = await writeComments(exporting, guid);
  const isDeleted = (name: string) =>
    name.endsWith(COMMENTS) ? !hasComments : /\.(vtt|jpg)$/.test(name) && !attached.has(name.slice(guid.length));
  for (const name of before.filter(isDeleted)) await target.remove(name);
  const { thumbnailTime, generatedCaptions, statistics } = await source.extras(guid);
  const captions = video.captions.map((track) => {
    const generated = generatedCaptions.find(({ srclang }) => srclang === track.srclang);
    return generated === undefined ? track : { ...track, origin: 'speech', translatedFrom: generated.translatedFrom };
  });
  // Written last, so that a video with metadata is complete.
  await target.writeText(`${guid}.json`, toJson({ ...video, captions, thumbnailTime, noMediaReason, statistics }));
  if (noMediaReason === NOT_UPLOADED || noMediaReason === NOT_PROCESSED) return 'empty';
  if (noMediaReason !== null) throw new DownloadFailed(noMediaReason, { isPermanent: noMediaReason === NOT_KEPT });
  return written === true ? 'exported' : 'unchanged';
}

/** Writes the comments of a video without accounts and share pages. Returns whether there are any. */
async function writeComments({ source, target }: Exporting, guid: string): Promise<boolean> {
  const replyOf = (one: ExportedReply): ExportedReply => {
    const { guid: id, text, authorName, authorKind, dateCreated, dateEdited } = one;
    return { guid: id, text, authorName, authorKind, dateCreated, dateEdited };
  };
  const threads = (await source.comments(guid)).map(({ time, isResolved, resolvedBy, dateResolved, ...thread }) => {
    const replies = thread.replies.map(replyOf);
    return { ...replyOf(thread), time, isResolved, resolvedBy, dateResolved, replies };
  });
  if (threads.length > 0) await target.writeText(`${guid}${COMMENTS}`, `${JSON.stringify(threads, null, 2)}\n`);
  return threads.length > 0;
}

type Media = { video: ExportedVideo; media: ExportedFile };

/**
 * Transfers the media of a video like `writeMedia`. Returns the reason if the audio of a video without picture cannot
 * be read, because only the file itself shows whether the library offers it.
 */
async function writeIfOffered(
  exporting: Exporting,
  media: Media,
  before: readonly string[],
): Promise<boolean | string> {
  try {
    return await writeMedia(exporting, media, before);
  } catch (error) {
    if (!(error instanceof DownloadFailed) || media.media.kind !== 'audio') throw error;
    return error.isPermanent ? NOT_KEPT : error.message;
  }
}

/** Transfers the media of a video, unless the target has it undamaged. Returns whether it was transferred. */
async function writeMedia(
  exporting: Exporting,
  { video, media: wanted }: Media,
  before: readonly string[],
): Promise<boolean> {
  const { source, target, sums, marks } = exporting;
  const sha256 = video.hasOriginal === true ? video.originalHash : null;
  const media = before.filter(isMedium);
  for (const name of media) {
    if (target.has(name) && (await isSame(exporting, { video, name, sha256 }))) return false;
  }
  const { name, sha256: sum } = await target.writeFile({
    file: source.file(video, wanted),
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

type Existing = { video: ExportedVideo; name: string; sha256: string | null };

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
async function hasSameRenditions(target: ExportTarget, video: ExportedVideo): Promise<boolean> {
  const before = readMetadata(await target.readText(`${video.guid}.json`));
  const marks = ['originalHash', 'storageSize', 'availableResolutions', 'length'] as const;
  return marks.every((name) => before[name] === video[name]);
}

/** Parses exported metadata. Returns none for a damaged file, whose media is then transferred again. */
function readMetadata(text: string | null): Partial<ExportedVideo> {
  try {
    return Object(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

/** Returns the original of a video, or else the largest MP4 or the audio, or the reason why there is no file. */
function mediaOf(video: ExportedVideo): ExportedFile | string {
  if (video.status === CREATED || video.status === UPLOAD_FAILED) return NOT_UPLOADED;
  if (video.hasOriginal === true) return { kind: 'original' };
  if (video.status === FAILED) return NOT_PROCESSED;
  if (video.status !== FINISHED) return STILL_ENCODED;
  const heights = video.availableResolutions.split(',').map((text) => Number.parseInt(text, 10));
  const rungs = heights.filter((one) => one > 0).toSorted((one, other) => one - other);
  if (rungs.length === 0) return { kind: 'audio' };
  const heightPx = chooseMp4Rung(rungs);
  return video.hasMP4Fallback && heightPx !== null ? { kind: 'mp4', heightPx } : NOT_KEPT;
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

/** Others may write into the destination, so only names that an export uses are accepted. */
async function readSums(target: ExportTarget): Promise<Map<string, string>> {
  const text = (await target.readText(EXPORT_FILES.sums)) ?? '';
  const lines = text.matchAll(/^([0-9a-f]{64}) {2}([0-9a-f-]{36}\.[\w.-]+)$/gm);
  return new Map([...lines].map(([, sum = '', name = '']) => [name, sum]));
}
