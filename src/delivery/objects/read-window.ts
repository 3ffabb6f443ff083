import type { EdgeStorage } from '../edge-deps.ts';
import { asMissing, ObjectMissing } from './object-missing.ts';
import type { ObjectWindow } from './object-part.ts';

const LIMIT_MS = 10_000;

/** Reads a whole window. Throws `ObjectMissing` if its object is missing or shorter than recorded. */
export async function readWindow(storage: EdgeStorage, { key, start, sizeBytes }: ObjectWindow): Promise<Buffer> {
  const range = { start, end: start + sizeBytes - 1 };
  const bytes = await storage.readBytes(key, range, AbortSignal.timeout(LIMIT_MS)).catch(asMissing(key));
  if (bytes.length === sizeBytes) return bytes;
  throw new ObjectMissing(`Expected ${sizeBytes} bytes of ${key}, got ${bytes.length}.`);
}
