import type { Guid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { StorageKey } from '../../ports/storage.ts';
import type { Chapter, MetaTag, Moment, UploadOptions } from '../schema.ts';

/** A stored original. `sha256` is 32 raw bytes, null when the door it came by takes none. */
export type Source = { key: StorageKey; sizeBytes: number; sha256: Buffer | null };

/** What a video is whatever its state. */
export type VideoDetails = {
  libraryId: number;
  id: Guid;
  title: string;
  collectionId: Guid | null;
  chapters: Chapter[];
  moments: Moment[];
  metaTags: MetaTag[];
  uploadOptions: UploadOptions;
};

/** A video by state. An original may be gone once the video is finished, or when it never had one (made from live). */
export type Video = VideoDetails &
  (
    | { state: 'created' }
    | { state: 'upload-failed'; reason: string }
    | { state: 'uploaded'; source: Source }
    | { state: 'processing' | 'transcoding' | 'jit-segmenting' | 'jit-ready' | 'finished'; source: Source | null }
    | { state: 'failed'; source: Source | null; reason: string }
  );

/** A change of what its owner may write; what is absent stays. A collection of null takes the video out of its collection. */
export type VideoEdit = {
  title?: string;
  collectionId?: Guid | null;
  chapters?: Chapter[];
  moments?: Moment[];
  metaTags?: MetaTag[];
};

/** Refuses (`invalid`) when a video has had its upload: an upload is taken once. */
export function requireUploadable(video: Video): void {
  switch (video.state) {
    case 'created':
    case 'upload-failed':
      return;
    case 'uploaded':
    case 'processing':
    case 'transcoding':
    case 'finished':
    case 'failed':
    case 'jit-segmenting':
    case 'jit-ready':
      throw new Refused(
        'invalid',
        `Video ${video.id} has already been uploaded (it is ${video.state}). Create another video for another file.`,
      );
    default:
      unreachable(video);
  }
}

/**
 * Makes a video ready for an upload that has begun, with what the upload says of it; an earlier failure is
 * forgotten. The answer is always a new value. Refuses (`invalid`) when it has had its upload.
 */
export function beginUpload(video: Video, edit: VideoEdit): Video {
  requireUploadable(video);
  return { ...detailsOf(video), ...edit, state: 'created' };
}

/** Notes that an upload came to nothing, and why; another may follow. A video that has had its upload stays as it is. */
export function failUpload(video: Video, reason: string): Video {
  if (video.state !== 'created' && video.state !== 'upload-failed') return video;
  return { ...detailsOf(video), state: 'upload-failed', reason };
}

/** Gives a video its original. Refuses (`invalid`) when it has had one. */
export function receiveSource(video: Video, source: Source, uploadOptions: UploadOptions): Video {
  requireUploadable(video);
  return { ...detailsOf(video), uploadOptions, state: 'uploaded', source };
}

/** Puts a video back in the queue; one that waits there stays. Refuses (`invalid`) when its original is gone. */
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

/** Changes what the edit names. The same video comes back when that changes nothing. Refuses (`invalid`) an empty title. */
export function editVideo(video: Video, edit: VideoEdit): Video {
  if (edit.title === '')
    throw new Refused('invalid', 'Expected a title of at least one character, got an empty one. Send one.');
  const edited: Video = { ...video, ...edit };
  return JSON.stringify(editable(edited)) === JSON.stringify(editable(video)) ? video : edited;
}

function editable({ title, collectionId, chapters, moments, metaTags }: VideoDetails): unknown[] {
  return [title, collectionId, chapters, moments, metaTags];
}

function detailsOf(video: Video): VideoDetails {
  const { libraryId, id, title, collectionId, chapters, moments, metaTags, uploadOptions } = video;
  return { libraryId, id, title, collectionId, chapters, moments, metaTags, uploadOptions };
}

function originalMissing(video: Video): Refused {
  return new Refused('invalid', `The original file of video ${video.id} is missing: upload it to another video.`);
}
