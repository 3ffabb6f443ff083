import { isFinal } from '../../../sdk/src/api-error.ts';
import { api } from '../base/api.ts';
import { forgetUpload } from './kept-uploads.ts';
import { changeItem, findItem } from './upload-item.ts';

/** Uploads for which this page created the video. */
const created = new Set<number>();

export function noteCreated(id: number): void {
  created.add(id);
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
