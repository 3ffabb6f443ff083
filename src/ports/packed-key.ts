import { type StorageKey, storageKey } from './storage.ts';

/**
 * Range of a pack to which a key refers. A pack is one object with several chunks, each followed by its `.idx`. The key
 * of a range begins with the key of the pack: `{pack}.{start}-{sizeBytes}-{idxBytes}.cmaf` is the media of a chunk, and
 * the same key with `.idx` is its index. Readers use such keys like any other key. A pack is only written and deleted
 * as a whole.
 */
export type PackedRange = { pack: StorageKey; start: number; sizeBytes: number };

/** Suffix of the keys of packs. No other key ends with it. */
const PACK_END = '.pack';
const PACKED = /^(.+\.pack)\.(\d{1,12})-(\d{1,12})-(\d{1,12})\.(cmaf|idx)$/;

/** Returns the key of the chunk that begins at `start` of a pack. */
export function packedKey(
  pack: StorageKey,
  { start, sizeBytes, idxBytes }: { start: number; sizeBytes: number; idxBytes: number },
): StorageKey {
  if (!pack.endsWith(PACK_END)) throw new Error(`Expected the key of a pack, got ${pack}.`);
  return storageKey(`${pack}.${start}-${sizeBytes}-${idxBytes}.cmaf`);
}

/** Returns the pack and range of a key, or null if the key has its own object. */
export function findPacked(key: StorageKey): PackedRange | null {
  // Do a cheap check first, because most keys do not refer to packs and this runs for each response.
  if (!key.includes(`${PACK_END}.`)) return null;
  const [, pack, start, sizeBytes, idxBytes, kind] = PACKED.exec(key) ?? [];
  if (pack === undefined) return null;
  const media = { start: Number(start), sizeBytes: Number(sizeBytes) };
  const range = kind === 'cmaf' ? media : { start: media.start + media.sizeBytes, sizeBytes: Number(idxBytes) };
  return { pack: storageKey(pack), ...range };
}

/** Returns the key of the object that contains the bytes of a key. */
export function objectOf(key: StorageKey): StorageKey {
  return findPacked(key)?.pack ?? key;
}

/**
 * Splits keys into keys of whole objects, which may be deleted, and keys of ranges, whose packs may contain other
 * chunks that are in use.
 */
export function splitPacked(keys: readonly StorageKey[]): { objects: StorageKey[]; packed: StorageKey[] } {
  const { objects = [], packed = [] } = Object.groupBy(keys, (key) =>
    findPacked(key) === null ? 'objects' : 'packed',
  );
  return { objects, packed };
}
