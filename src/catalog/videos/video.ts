import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Chapter, MetaTag, Moment, UploadOptions } from '../schema.ts';
import type { Visibility } from '../visibility.ts';

/** A stored original. `sha256` is 32 raw bytes, null if its upload session computes none. */
export type Source = { key: StorageKey; sizeBytes: number; sha256: Buffer | null };

/** Fields of a video in every state. */
export type VideoDetails = {
  libraryId: number;
  id: Guid;
  title: string;
  /** Null for none. */
  description: string | null;
  /** Null for none. */
  category: string | null;
  collectionId: Guid | null;
  visibility: Visibility;
  chapters: Chapter[];
  moments: Moment[];
  metaTags: MetaTag[];
  uploadOptions: UploadOptions;
  /** Length of the last planned file; 0 before that. */
  durationMs: number;
};

/** A video by state. A finished video may have lost its original, or never had one if it was recorded live. */
export type Video = VideoDetails &
  (
    | { state: 'created' }
    | { state: 'upload-failed'; reason: string }
    | { state: 'uploaded'; source: Source }
    | { state: 'processing' | 'transcoding' | 'jit-segmenting' | 'jit-ready'; source: Source | null }
    | { state: 'finished'; source: Source | null; acceptsReplacement: boolean }
    | { state: 'failed'; source: Source | null; reason: string }
  );

/**
 * A change by the owner; absent fields are left unchanged. A null collection removes the video from its collection, a
 * null description or category clears it.
 */
export type VideoEdit = {
  title?: string;
  description?: string | null;
  category?: string | null;
  collectionId?: Guid | null;
  visibility?: Visibility;
  chapters?: Chapter[];
  moments?: Moment[];
  metaTags?: MetaTag[];
};

/**
 * Throws `Refused` (`invalid`) for a video that accepts no upload. A video accepts one upload, another if a replacement
 * was requested, and another if the previous file could not be used.
 */
export function requireUploadable(video: Video): void {
  switch (video.state) {
    case 'created':
    case 'upload-failed':
    case 'failed':
      return;
    case 'finished':
      if (video.acceptsReplacement) return;
      throw alreadyUploaded(video);
    case 'uploaded':
    case 'processing':
    case 'transcoding':
    case 'jit-segmenting':
    case 'jit-ready':
      throw alreadyUploaded(video);
    default:
      unreachable(video);
  }
}

/**
 * Prepares a video for an upload that has begun, with the upload's options; an earlier failure is cleared. A video that
 * has a file is left unchanged until the new one is complete. Always returns a new value. Throws `Refused` (`invalid`)
 * for a video that accepts no upload.
 */
export function beginUpload(video: Video, edit: VideoEdit & { uploadOptions?: UploadOptions }): Video {
  requireUploadable(video);
  if (video.state === 'finished' || video.state === 'failed') return { ...video };
  return { ...detailsOf(video), ...edit, state: 'created' };
}

/**
 * Prepares a video for the file of an import. A failed video loses its earlier file and failure now, because the import
 * waits for the outcome. Throws `Refused` (`invalid`) for a video that accepts no upload.
 */
export function beginImport(video: Video): Video {
  return video.state === 'failed' ? { ...detailsOf(video), state: 'created' } : beginUpload(video, {});
}

/**
 * Records that an upload failed, and the reason; another may follow. A video that has received a file is left
 * unchanged.
 */
export function failUpload(video: Video, reason: string): Video {
  if (video.state === 'finished' && video.acceptsReplacement) return { ...video };
  if (video.state !== 'created' && video.state !== 'upload-failed') return video;
  return { ...detailsOf(video), state: 'upload-failed', reason };
}

/**
 * Gives a video its original. A replacement file keeps the options of the previous upload that its own do not override.
 * Throws `Refused` (`invalid`) for a video that accepts no upload.
 */
export function receiveSource(video: Video, source: Source, options: UploadOptions): Video {
  requireUploadable(video);
  const kept = video.state === 'finished' ? video.uploadOptions : pickImported(video.uploadOptions);
  const uploadOptions = { ...kept, ...options };
  return { ...detailsOf(video), uploadOptions, state: 'uploaded', source };
}

/** The first file of an imported video may come from an upload with its own options. */
function pickImported({ isImported }: UploadOptions): UploadOptions {
  return isImported === true ? { isImported } : {};
}

/** Returns whether this object is the video's original. */
export function hasSource(video: Video, key: StorageKey): boolean {
  return 'source' in video && video.source?.key === key;
}

/** Lets a finished video accept a replacement file. Throws `Refused` (`invalid`) for one that is not finished. */
export function openForOtherFile(video: Video): Video {
  if (video.state === 'finished') return { ...video, acceptsReplacement: true };
  throw new Refused(
    'invalid',
    `Expected a finished video, got ${video.state} (${video.id}). Wait until it is finished.`,
  );
}

/**
 * Puts a video back in the queue; one that already waits is left unchanged. Throws `Refused` (`invalid`) if its
 * original no longer exists.
 */
export function requestReencode(video: Video): Video {
  switch (video.state) {
    case 'uploaded':
      return video;
    case 'created':
    case 'upload-failed':
      throw originalMissing(video);
    case 'processing':
    case 'transcoding':
    case 'finished':
    case 'failed':
    case 'jit-segmenting':
    case 'jit-ready':
      if (video.source === null) throw originalMissing(video);
      return { ...detailsOf(video), state: 'uploaded', source: video.source };
    default:
      return unreachable(video);
  }
}

/**
 * Applies an edit. Returns the same video if nothing changes. Throws `Refused` (`invalid`) for an empty title, and
 * chapters and moments that are not within the video.
 */
export function editVideo(video: Video, edit: VideoEdit): Video {
  if (edit.title?.trim() === '') throw new Refused('invalid', 'Expected a title, got an empty string. Send a title.');
  const edited: Video = { ...video, ...edit };
  if (!isSame(edited.chapters, video.chapters)) requireChaptersWithin(edited);
  if (!isSame(edited.moments, video.moments)) requireMomentsWithin(edited);
  return isSame(editable(edited), editable(video)) ? video : edited;
}

function requireChaptersWithin(video: Video): void {
  const endSec = endOf(video);
  for (const [index, { start, end }] of video.chapters.entries()) {
    if (start < 0 || start >= endSec) throw outside(`chapters[${index}].start`, start, endSec);
    if (end > endSec) throw outside(`chapters[${index}].end`, end, endSec);
    if (end < start) {
      const expected = `chapters[${index}].end to be at least its start (${start} s)`;
      throw new Refused('invalid', `Expected ${expected}, got ${end} s. Correct the value.`);
    }
  }
}

function requireMomentsWithin(video: Video): void {
  const endSec = endOf(video);
  for (const [index, { timestamp }] of video.moments.entries()) {
    if (timestamp < 0 || timestamp > endSec) throw outside(`moments[${index}].timestamp`, timestamp, endSec);
  }
}

/** Returns the end of a video, rounded up to whole seconds as clients read it; infinite until its file was measured. */
function endOf({ state, durationMs }: Video): number {
  const isMeasured = durationMs > 0 && state !== 'uploaded' && state !== 'processing';
  return isMeasured ? Math.ceil(durationMs / 1000) : Number.POSITIVE_INFINITY;
}

function outside(field: string, sec: number, endSec: number): Refused {
  const range =
    endSec === Number.POSITIVE_INFINITY ? 'not to be negative' : `to be within the video (0 to ${endSec} s)`;
  return new Refused('invalid', `Expected ${field} ${range}, got ${sec} s. Correct the value.`);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function editable(video: VideoDetails): unknown[] {
  const { title, description, category, collectionId, visibility, chapters, moments, metaTags } = video;
  return [title, description, category, collectionId, visibility, chapters, moments, metaTags];
}

function detailsOf(video: Video): VideoDetails {
  const { libraryId, id, title, description, category, collectionId, visibility } = video;
  const { chapters, moments, metaTags, uploadOptions, durationMs } = video;
  const named = { libraryId, id, title, description, category, collectionId, visibility };
  return { ...named, chapters, moments, metaTags, uploadOptions, durationMs };
}

function alreadyUploaded({ id, state }: Video): Refused {
  const message = `Video ${id} has already been uploaded (it is ${state}). Create another video for another file.`;
  return new Refused('invalid', message);
}

function originalMissing(video: Video): Refused {
  return new Refused('invalid', `The original file of video ${video.id} is missing. Upload it to a new video.`);
}
