import type { MediaKey } from '../catalog/db.ts';
import type { VideoPlayDataModel } from './models/play-data.ts';
import { type PlayDataDeps, showPlayData } from './videos/load-play-data.ts';

/** Everything that `readPlayData` depends on. */
export type ReadPlayDataDeps = PlayDataDeps;

/**
 * Loads the play data of a video for a caller at `address` who may see it regardless of the rules for viewers. Throws
 * `Refused` (`not-found`) if it does not exist.
 */
export async function readPlayData(
  key: MediaKey,
  address: string,
  deps: ReadPlayDataDeps,
): Promise<VideoPlayDataModel> {
  return showPlayData(key, address, deps);
}
