import { signal } from '@preact/signals';
import type { UploadSettings } from '../../../sdk/src/millrace.ts';

/**
 * Where uploads go, and how they are encoded if not as the library says; an empty `collectionId` is no collection.
 */
export type Target = { libraryId: number; collectionId: string; settings?: UploadSettings };

/**
 * A file on its way; it stays in the list until it is dismissed. `lost` has to be given its file again after a reload;
 * `cut` goes on by itself when the service can be reached again.
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
  /** Where the service keeps what it has of the file. */
  address: string | null;
  sentBytes: number;
  bytesPerSec: number;
  state: 'waiting' | 'sending' | 'paused' | 'cut' | 'lost' | 'done' | 'failed';
  error: string | null;
  /** How often the service answered that it cannot now; of each upload only so often. */
  refusals: number;
  /** The library had a video of this title when the upload began. */
  isNamesake: boolean;
};

export const uploads = signal<readonly UploadItem[]>([]);

export function findItem(id: number): UploadItem | undefined {
  return uploads.value.find((item) => item.id === id);
}

export function changeItem(id: number, changes: Partial<UploadItem>): void {
  uploads.value = uploads.value.map((item) => (item.id === id ? { ...item, ...changes } : item));
}
