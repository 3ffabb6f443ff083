import type { MediaKey } from '../../catalog/db.ts';
import type { Packager } from '../../catalog/drm/packager.ts';
import { Refused } from '../../lib/refused.ts';
import { Postponed } from '../queue/postponement.ts';

/**
 * Creates the keys of a video in a library with Enterprise DRM before any of the video is playable. Throws `Postponed`
 * while the key source is unreachable, and `Refused` if the key source refuses the request.
 */
export async function protectVideo(key: MediaKey, packager: Packager, signal: AbortSignal): Promise<void> {
  try {
    await packager.protectNew(key, signal);
  } catch (error) {
    if (!(error instanceof Refused) || error.kind !== 'unavailable') throw error;
    throw new Postponed(`waiting for keys: ${error.message}`, { cause: error });
  }
}
