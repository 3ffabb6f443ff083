import { isFinal } from '../../../sdk/src/api-error.ts';
import { ApiError, api } from '../base/api.ts';
import { forgetUpload } from './kept-uploads.ts';
import { changeItem, findItem, type UploadItem } from './upload-item.ts';

/** Uploads for which this page created the video. */
const created = new Set<number>();

export function noteCreated(id: number): void {
  created.add(id);
}

/** Thrown for a file without bytes, before anything is sent. */
export class EmptyFileError extends Error {}

/** Returns whether the file itself was refused: the service opened the upload, but not for this content. */
export function isFileRefused({ address }: UploadItem, error: unknown): boolean {
  return error instanceof EmptyFileError || (error instanceof ApiError && error.status === 400 && address !== null);
}

/** Deletes the video that was created for an upload, if the service refused it for good and received nothing. */
export async function deleteRefused(id: number, error: unknown): Promise<void> {
  const item = findItem(id);
  if (!isFinal(error) || item?.videoId == null || item.address !== null || !created.delete(id)) return;
  try {
    await api('DELETE', `/library/${item.libraryId}/videos/${item.videoId}`);
  } catch {
    // The video stays without a file, and a retry uploads to it.
    return;
  }
  changeItem(id, { videoId: null });
  await forgetUpload(item.key);
}
