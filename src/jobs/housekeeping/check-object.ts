import { hasCode } from '../../lib/has-code.ts';
import { Refused } from '../../lib/refused.ts';
import { sha256Of } from '../../lib/sha256-of.ts';
import type { Storage, StorageKey } from '../../ports/storage.ts';

/** Properties of a stored object recorded in its row. */
export type StoredObject = { storageKey: StorageKey; sizeBytes: number; sha256: Buffer };

/** Damage to an object, described by `what`. */
export type ObjectFault = { isMissing: boolean; what: string };

/** Reads a whole object and compares it with its row. Rethrows read errors. */
export async function checkObject(
  { storageKey, sizeBytes, sha256 }: StoredObject,
  storage: Storage,
  signal: AbortSignal,
): Promise<ObjectFault | null> {
  const info = await storage.head(storageKey);
  if (info === null) return MISSING;
  if (info.sizeBytes !== sizeBytes) return broken(`its object has ${info.sizeBytes} bytes instead of ${sizeBytes}`);
  try {
    const { body } = await storage.read(storageKey, null, signal);
    return (await sha256Of(body)).equals(sha256) ? null : broken('its bytes changed');
  } catch (error) {
    if (isMissing(error)) return MISSING;
    if (isWorn(error)) return broken('its object cannot be read');
    throw error;
  }
}

const MISSING: ObjectFault = { isMissing: true, what: 'its object is missing' };

function broken(what: string): ObjectFault {
  return { isMissing: false, what };
}

export function isMissing(error: unknown): boolean {
  return error instanceof Refused && error.kind === 'not-found';
}

/**
 * Returns whether an error means that the disk cannot read these bytes. Other read errors prove nothing about the
 * object.
 */
export function isWorn(error: unknown): boolean {
  return hasCode(error, 'EIO');
}

/** Returns whether an object is readable. Rethrows read errors that prove nothing about the object. */
export async function isReadable(key: StorageKey, storage: Storage, signal: AbortSignal): Promise<boolean> {
  try {
    await storage.readBytes(key, { start: 0, end: 0 }, signal);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
