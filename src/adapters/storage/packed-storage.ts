import type { Readable } from 'node:stream';
import { findPacked, type PackedRange } from '../../ports/packed-key.ts';
import type { ByteRange, ObjectInfo, Storage, StorageKey } from '../../ports/storage.ts';
import { checkRange } from './bytes.ts';

/**
 * Wraps a store so that keys that refer to a range of a pack are read like objects. `localPath` returns null for them,
 * because the range begins inside a file. They are written and deleted only with their pack. Exception: a range may be
 * replaced by different bytes of the same length, which rewrites the pack.
 */
export function createPackedStorage(storage: Storage): Storage {
  async function head(key: StorageKey): Promise<ObjectInfo | null> {
    const packed = findPacked(key);
    if (packed === null) return storage.head(key);
    const info = await storage.head(packed.pack);
    return info === null ? null : infoOf(key, packed, info);
  }

  return {
    ...storage,
    head,
    async put(key, body, options, signal) {
      const packed = findPacked(key);
      return packed === null ? storage.put(key, body, options, signal) : replace(storage, { packed, body }, signal);
    },
    async read(key, range, signal) {
      const packed = findPacked(key);
      if (packed === null) return storage.read(key, range, signal);
      const { info, body } = await storage.read(packed.pack, within(packed, range), signal);
      return { info: infoOf(key, packed, info), body };
    },
    async readBytes(key, range, signal) {
      const packed = findPacked(key);
      if (packed === null) return storage.readBytes(key, range, signal);
      return storage.readBytes(packed.pack, within(packed, range), signal);
    },
    async delete(keys) {
      const packed = keys.find((key) => findPacked(key) !== null);
      if (packed !== undefined) throw new Error(`Expected keys of whole objects to delete, got ${packed}.`);
      await storage.delete(keys);
    },
    localPath: (key) => (findPacked(key) === null ? storage.localPath(key) : null),
  };
}

/**
 * Returns the metadata of a range of a pack. If the pack is shorter than expected from the key, the range is also
 * shorter.
 */
function infoOf(key: StorageKey, { start, sizeBytes }: PackedRange, info: ObjectInfo): ObjectInfo {
  const left = Math.max(0, Math.min(sizeBytes, info.sizeBytes - start));
  return { ...info, key, sizeBytes: left, etag: `${info.etag}-${start}` };
}

/**
 * Converts a range of a key to a range of its pack, clipped at the end of the key, because the bytes after it belong to
 * other keys.
 */
function within({ start, sizeBytes }: PackedRange, range: ByteRange | null): ByteRange {
  checkRange(range);
  const from = range?.start ?? 0;
  const to = Math.min(range?.end ?? Number.POSITIVE_INFINITY, sizeBytes - 1);
  // The result is empty: request a range past the end of the pack, which is clipped to nothing.
  if (from > to) return { start: Number.MAX_SAFE_INTEGER - 1, end: Number.MAX_SAFE_INTEGER - 1 };
  return { start: start + from, end: start + to };
}

async function replace(
  storage: Storage,
  { packed: { pack, start, sizeBytes }, body }: { packed: PackedRange; body: Readable | Uint8Array },
  signal: AbortSignal,
) {
  if (!(body instanceof Uint8Array) || body.length !== sizeBytes) {
    const got = body instanceof Uint8Array ? `${body.length} bytes` : 'a stream';
    throw new Error(`Expected ${sizeBytes} bytes to replace at offset ${start} of ${pack}, got ${got}.`);
  }
  const bytes = await storage.readBytes(pack, null, signal);
  bytes.set(body, start);
  const { sha256 } = await storage.put(pack, bytes, {}, signal);
  return { sizeBytes, sha256 };
}
