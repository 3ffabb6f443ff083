import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { Refused } from '../../lib/refused.ts';

/**
 * Returns the video whose statistics are requested; null for the whole library if none is named. Throws `Refused`
 * (`not-found`) for an invalid GUID, an unknown video, and one of another library.
 */
export async function findMeasured(
  libraryId: number,
  videoGuid: string,
  videoViews: VideoViewStore,
): Promise<Guid | null> {
  if (videoGuid === '') return null;
  const mediaId = readGuid(videoGuid);
  if (mediaId === null) throw new Refused('not-found', 'Expected the GUID of a video in videoGuid. Check it.');
  await videoViews.load({ libraryId, mediaId });
  return mediaId;
}
