import type { MediaKey } from '../../catalog/db.ts';
import { isDatabaseAway } from '../../catalog/is-database-away.ts';
import { failUpload } from '../../catalog/videos/video.ts';
import type { VideoStore } from '../../catalog/videos/video-store.ts';
import type { RefusalKind } from '../../lib/error-catalogue.ts';
import { logEvent } from '../../lib/log/log-event.ts';
import { Refused } from '../../lib/refused.ts';

/** Refusals of the file itself. All others concern the caller, or another upload of the video. */
const OF_FILE: readonly RefusalKind[] = ['invalid', 'too-large', 'quota-reached', 'disk-full', 'timeout'];

/**
 * Stores why the last upload to a video was refused, until another one begins or succeeds. A video that has received a
 * file is left unchanged. Does nothing for other errors, for a deleted video, and while the database is down. Logs any
 * other failure, so that the caller still gets the refusal.
 */
export async function noteRefusedUpload(
  key: MediaKey,
  error: unknown,
  { videos }: { videos: Pick<VideoStore, 'change'> },
): Promise<void> {
  if (!(error instanceof Refused) || !OF_FILE.includes(error.kind)) return;
  try {
    await videos.change(key, (video) => {
      const hasNoFile = video.state === 'created' || video.state === 'upload-failed';
      return hasNoFile ? failUpload(video, error.message) : video;
    });
  } catch (failure) {
    const isGone = failure instanceof Refused && failure.kind === 'not-found';
    if (isGone || isDatabaseAway(failure)) return;
    logEvent('upload.reason-unstored', { videoGuid: key.mediaId, libraryId: key.libraryId, err: failure });
  }
}
