import { type StorageKey, storageKey } from './storage.ts';

/**
 * A pack is one object that holds several chunks, each with its `.idx` right behind its media. A key that names a range
 * of it has the pack's own key in front: `{pack}.{start}-{sizeBytes}-{idxBytes}.cmaf` is the media of a chunk, and the
 * same with `.idx` its index. All readers of the store take it like any other key; a pack itself is written and deleted
 * whole.
 */
export type PackedRange = { pack: StorageKey; start: number; sizeBytes: number };

/** How the key of every pack ends, and of no other object. */
const PACK_END = '.pack';
const PACKED = /^(.+\.pack)\.(\d{1,12})-(\d{1,12})-(\d{1,12})\.(cmaf|idx)$/;

/** The key of a pack's chunk, at `start` of the pack. */
export function packedKey(
  pack: StorageKey,
  { start, sizeBytes, idxBytes }: { start: number; sizeBytes: number; idxBytes: number },
): StorageKey {
  if (!pack.endsWith(PACK_END)) throw new Error(`Expected the key of a pack, got ${pack}.`);
  return storageKey(`${pack}.${start}-${sizeBytes}-${idxBytes}.cmaf`);
}

/** Which bytes of a pack a key names; null for a key that names an object of its own. */
export function findPacked(key: StorageKey): PackedRange | null {
  // Most keys are no such, and are looked at for each answer.
  if (!key.includes(`${PACK_END}.`)) return null;
  const [, pack, start, sizeBytes, idxBytes, kind] = PACKED.exec(key) ?? [];
  if (pack === undefined) return null;
  const media = { start: Number(start), sizeBytes: Number(sizeBytes) };
  const range = kind === 'cmaf' ? media : { start: media.start + media.sizeBytes, sizeBytes: Number(idxBytes) };
  return { pack: storageKey(pack), ...range };
}

/** The object that holds the bytes of a key. */
export function objectOf(key: StorageKey): StorageKey {
  return findPacked(key)?.pack ?? key;
}

/** Keys of whole objects, which may be deleted, and those that name ranges of packs, which others may need still. */
export function splitPacked(keys: readonly StorageKey[]): { objects: StorageKey[]; packed: StorageKey[] } {
  const { objects = [], packed = [] } = Object.groupBy(keys, (key) =>
    findPacked(key) === null ? 'objects' : 'packed',
  );
  return { objects, packed };
}
