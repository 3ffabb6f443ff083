import { signal } from '@preact/signals';
import type { UploadSettings } from '../../../sdk/src/millrace.ts';
import type { VideoModel } from '../../../src/api/models/video.ts';

/**
 * Target of uploads, and their encoding settings if they differ from the library's. An empty `collectionId` means no
 * collection.
 */
export type Target = {
  libraryId: number;
  collectionId: string;
  settings?: UploadSettings;
  /** Visibility of a new video. Default: public. */
  visibility?: VideoModel['visibility'];
  /** Video that the file is for. Without it, a video is created. */
  videoId?: string | null;
};

/**
 * A file being uploaded. It remains in the list until dismissed. `lost` needs its file again after a reload. `cut`
 * resumes automatically when the service is reachable again.
 */
export type UploadItem = Target & {
  id: number;
  key: string;
  name: string;
  sizeBytes: number;
  lastModifiedMs: number;
  file: File | null;
  handle: FileSystemFileHandle | null;
  videoId: string | null;
  /** URL of the partial file at the service. */
  address: string | null;
  sentBytes: number;
  bytesPerSec: number;
  state: 'waiting' | 'sending' | 'paused' | 'cut' | 'lost' | 'done' | 'failed';
  error: string | null;
  /** Number of temporary refusals by the service. Limited per upload. */
  refusals: number;
  /** True if the file was sent, but cannot become a video. False once it is known to be one. */
  isUnusable?: boolean;
  /** True if the file itself was refused, so that only another one can succeed. */
  isRefused?: boolean;
  /** True if the library already had a video with this title when the upload began. */
  isNamesake: boolean;
};

export const uploads = signal<readonly UploadItem[]>([]);

export function findItem(id: number): UploadItem | undefined {
  return uploads.value.find((item) => item.id === id);
}

export function changeItem(id: number, changes: Partial<UploadItem>): void {
  uploads.value = uploads.value.map((item) => (item.id === id ? { ...item, ...changes } : item));
}

/** Returns whether an upload failed for a reason that may have passed. */
export function mayRetry({ state, isRefused = false }: UploadItem): boolean {
  return state === 'failed' && !isRefused;
}

/** Returns whether a file was sent, and is not known to be unusable. */
export function isUploaded({ state, isUnusable = false }: UploadItem): boolean {
  return state === 'done' && !isUnusable;
}

/** A modified or removed file aborts its request like a lost connection. */
export async function isReadable(file: File | null): Promise<boolean> {
  if (file === null) return false;
  return file
    .slice(0, 1)
    .arrayBuffer()
    .then(() => true)
    .catch(() => false);
}

/** Returns the title of a video that is made from a file. */
export function titleOf(fileName: string): string {
  return fileName.replace(/\.[^.]{1,5}$/, '').replaceAll('_', ' ') || fileName;
}
