/** A part of a sample: clear bytes, then protected bytes (ISO 23001-7 section 9.5). */
export type Subsample = { clearBytes: number; protectedBytes: number };

/** Collects the subsamples of one sample, as few as possible. */
export type SubsampleList = {
  add(clearBytes: number, protectedBytes: number): void;
  /** Returns the subsamples. Their total length is exactly the sum of all added lengths. */
  end(): Subsample[];
};

/**
 * If `isBlockAligned`, every protected part is a multiple of 16 bytes, and the surplus before it stays clear (as CMAF,
 * ISO 23000-19, requires for `cenc`). `most` is the maximum number of subsamples that a sample can declare.
 */
export type SubsampleRules = { isBlockAligned: boolean; most: number };

/** Bytes of a subsample in a senc entry. */
export const SUBSAMPLE_BYTES = 6;

const BLOCK_BYTES = 16;
/**
 * Maximum bytes of encryption data per sample, whose size has 8 bits in saiz: its IV, a 16-bit count and the
 * subsamples.
 */
const MAX_ENTRY_BYTES = 255;
const COUNT_BYTES = 2;
/** Maximum clear bytes of a subsample, stored in 16 bits in senc. */
const MAX_CLEAR_BYTES = 0xffff;

/** Returns the maximum number of subsamples of a sample with an IV of the given length. */
export function mostSubsamples(ivBytes: number): number {
  return Math.floor((MAX_ENTRY_BYTES - COUNT_BYTES - ivBytes) / SUBSAMPLE_BYTES);
}

/**
 * Creates a list. A protected part shorter than one block counts as clear, because a cipher would not change it. If
 * there are more parts than a sample can have, the smallest are left clear. If their clear bytes exceed the limit,
 * everything from the first part on is protected as one, which players decrypt as well.
 */
export function createSubsampleList({ isBlockAligned, most }: SubsampleRules): SubsampleList {
  const parts: Subsample[] = [];
  let pendingBytes = 0;
  return {
    add(clearBytes, protectedBytes) {
      const isProtected = protectedBytes >= BLOCK_BYTES;
      const surplusBytes = isProtected ? (isBlockAligned ? protectedBytes % BLOCK_BYTES : 0) : protectedBytes;
      pendingBytes += clearBytes + surplusBytes;
      if (!isProtected) return;
      parts.push({ clearBytes: pendingBytes, protectedBytes: protectedBytes - surplusBytes });
      pendingBytes = 0;
    },
    end() {
      const whole = [...parts, { clearBytes: pendingBytes, protectedBytes: 0 }];
      if (parts.length <= most) {
        const list = writeParts(whole);
        if (list.length <= most) return list;
      }
      for (let kept = Math.min(parts.length - 1, most); kept > 0; kept -= 1) {
        const list = writeParts(keepLargest(whole, kept));
        if (list.length <= most) return list;
      }
      return writeParts(protectAsOne(whole, { isBlockAligned, most }));
    },
  };
}

/** Splits clear lengths above 16 bits and drops empty parts. */
function writeParts(parts: readonly Subsample[]): Subsample[] {
  return parts.flatMap(({ clearBytes, protectedBytes }) => {
    if (clearBytes + protectedBytes === 0) return [];
    const full = Math.max(0, Math.ceil(clearBytes / MAX_CLEAR_BYTES) - 1);
    const last = { clearBytes: clearBytes - full * MAX_CLEAR_BYTES, protectedBytes };
    return [...Array<Subsample>(full).fill({ clearBytes: MAX_CLEAR_BYTES, protectedBytes: 0 }), last];
  });
}

/** Leaves all except the largest protected parts clear. */
function keepLargest(parts: readonly Subsample[], count: number): Subsample[] {
  const largest = parts.toSorted((a, b) => b.protectedBytes - a.protectedBytes).slice(0, count);
  const kept = new Set(largest);
  const list: Subsample[] = [];
  let clearBytes = 0;
  for (const part of parts) {
    clearBytes += part.clearBytes;
    if (kept.has(part)) {
      list.push({ clearBytes, protectedBytes: part.protectedBytes });
      clearBytes = 0;
    } else {
      clearBytes += part.protectedBytes;
    }
  }
  return [...list, { clearBytes, protectedBytes: 0 }];
}

function protectAsOne(parts: readonly Subsample[], { isBlockAligned, most }: SubsampleRules): Subsample[] {
  const totalBytes = parts.reduce((sum, part) => sum + part.clearBytes + part.protectedBytes, 0);
  const clearBytes = Math.min(parts[0]?.clearBytes ?? 0, most * MAX_CLEAR_BYTES - BLOCK_BYTES);
  const restBytes = totalBytes - clearBytes;
  const surplusBytes = isBlockAligned ? restBytes % BLOCK_BYTES : 0;
  return [{ clearBytes: clearBytes + surplusBytes, protectedBytes: restBytes - surplusBytes }];
}
