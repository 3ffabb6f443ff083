import type { VideoViewStore } from '../../catalog/videos/video-view-store.ts';
import { type Guid, readGuid } from '../../lib/guid.ts';
import { quote } from '../../lib/quote.ts';
import { Refused } from '../../lib/refused.ts';

/**
 * Returns the video whose statistics are requested, or null if the query requests the whole library. Throws `Refused`
 * (`not-found`) if the GUID is invalid, or the library has no such video.
 */
export async function findMeasured(
  libraryId: number,
  videoGuid: string,
  videoViews: VideoViewStore,
): Promise<Guid | null> {
  if (videoGuid === '') return null;
  const mediaId = readGuid(videoGuid);
  if (mediaId === null)
    throw new Refused(
      'not-found',
      `Expected the GUID of a video in videoGuid, got ${quote(videoGuid)}. Check the GUID.`,
    );
  await videoViews.load({ libraryId, mediaId });
  return mediaId;
}
