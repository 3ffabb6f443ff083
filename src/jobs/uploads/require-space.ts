import { Refused } from '../../lib/refused.ts';
import type { Storage } from '../../ports/storage.ts';

export type SpaceDeps = {
  storage: Pick<Storage, 'space'>;
  /** Returns the bytes that uploads must leave free on a medium of this size. */
  diskFloorBytes(totalBytes: number): number;
};

/** The usual floor: 5 GB or 5 % of the medium, whichever is more. */
export function usualDiskFloorBytes(totalBytes: number): number {
  return Math.max(5e9, totalBytes / 20);
}

/** Throws `Refused` (`disk-full`) if these bytes would not leave the floor free on the medium. */
export async function requireSpace(lengthBytes: number, { storage, diskFloorBytes }: SpaceDeps): Promise<void> {
  const space = await storage.space();
  if (space === null) return;
  const floorBytes = diskFloorBytes(space.totalBytes);
  if (space.freeBytes - lengthBytes >= floorBytes) return;
  throw new Refused(
    'disk-full',
    `Expected ${floorBytes} bytes to remain free after an upload of ${lengthBytes} bytes, but only ${space.freeBytes} ` +
      'are free now. Free some space or upload a smaller file.',
  );
}
