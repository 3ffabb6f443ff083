import { Refused } from '../../lib/refused.ts';

/** What a work or a video waits for meanwhile, for people. The sweep tries it again each minute. */
export const WAITING_FOR_SPACE = 'waiting for free space: the storage is full';

/** A full store is no fault of the video: what it stops waits, uncounted, until there is room. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Refused && error.kind === 'disk-full';
}
