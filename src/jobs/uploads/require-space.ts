import { Refused } from '../../lib/refused.ts';
import type { Storage } from '../../ports/storage.ts';

export type SpaceDeps = {
  storage: Pick<Storage, 'space'>;
  /** Returns the number of bytes that uploads must leave free on a disk of this size. */
  diskFloorBytes(totalBytes: number): number;
};

/** Default minimum of free bytes: 5 GB or 5 % of the disk, whichever is more. */
export function usualDiskFloorBytes(totalBytes: number): number {
  return Math.max(5e9, totalBytes / 20);
}

/** Throws `Refused` (`disk-full`) if an upload of this length would leave fewer free bytes than the minimum. */
export async function requireSpace(lengthBytes: number, { storage, diskFloorBytes }: SpaceDeps): Promise<void> {
  const space = await storage.space();
  if (space === null) return;
  const floorBytes = diskFloorBytes(space.totalBytes);
  if (space.freeBytes - lengthBytes >= floorBytes) return;
  throw new Refused(
    'disk-full',
    `Expected ${floorBytes} bytes to remain free after an upload of ${lengthBytes} bytes, but only ` +
      `${space.freeBytes} are free now. Free some space or upload a smaller file.`,
  );
}
