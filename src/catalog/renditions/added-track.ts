import type { AudioRole } from '../../media/probe/source-facts.ts';
import type { StorageKey } from '../../ports/storage.ts';

/** A stored file that an audio track is encoded from. `sha256` is in hex. */
export type TrackFile = { key: StorageKey; sizeBytes: number; sha256: string };

/** Language (BCP 47, `und` when unknown), name and purpose of an audio track as viewers see them. */
export type TrackFields = { language: string; name: string; role: AudioRole; isDefault: boolean };

/**
 * An audio track that the owner of a video added, or a track of the video's file that the owner changed. Each encode of
 * the video applies it.
 */
export type AddedTrack = TrackFields & {
  /** Unique in the video. `file-N` replaces or changes stream N of the video's file. */
  id: string;
  /** True if viewers do not get this track of the video's file, because the owner removed it. */
  isRemoved?: boolean;
  /** The original whose track was changed or removed. The change does not apply to another original. */
  ofSource: StorageKey | null;
  /** The file that was encoded last, or null before the first encode, and for a track of the video's file. */
  file: TrackFile | null;
  /** The file that replaces `file` once it is encoded. `reason`: why it could not be encoded. */
  next: (TrackFile & { reason?: string }) | null;
};

/** Returns the id of a track of the video's file. */
export function fileTrackId(streamIndex: number): string {
  return `file-${streamIndex}`;
}

/** Returns the stored files of tracks. */
export function filesOf(tracks: readonly AddedTrack[]): TrackFile[] {
  return tracks.flatMap(({ file, next }) => [file, next].filter((one) => one !== null));
}

/**
 * Returns the file that an encode of a track uses, or null if the track has no separate file. A failed file is not
 * tried again.
 */
export function fileToEncode({ file, next }: AddedTrack): TrackFile | null {
  return next !== null && next.reason === undefined ? next : file;
}
