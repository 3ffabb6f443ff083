/** A stretch of a sample: clear bytes, then protected bytes (ISO 23001-7 section 9.5). */
export type Subsample = { clearBytes: number; protectedBytes: number };

/** Collects the subsamples of one sample, as few as possible. */
export type SubsampleList = {
  add(clearBytes: number, protectedBytes: number): void;
  /** The subsamples; together they are exactly as long as all that was added. */
  end(): Subsample[];
};

const BLOCK_BYTES = 16;
/** A senc entry counts clear bytes in 16 bits. */
const MAX_CLEAR_BYTES = 0xffff;

/**
 * Opens a list. With `isBlockAligned` every protected part is a multiple of 16 bytes, its surplus left clear in
 * front (as CMAF, ISO 23000-19, wants it of `cenc`). A protected part below one block holds nothing that a
 * cipher would change and is counted as clear.
 */
export function createSubsampleList(isBlockAligned: boolean): SubsampleList {
  const list: Subsample[] = [];
  let pendingBytes = 0;
  const flush = (protectedBytes: number): void => {
    for (; pendingBytes > MAX_CLEAR_BYTES; pendingBytes -= MAX_CLEAR_BYTES) {
      list.push({ clearBytes: MAX_CLEAR_BYTES, protectedBytes: 0 });
    }
    if (pendingBytes + protectedBytes > 0) list.push({ clearBytes: pendingBytes, protectedBytes });
    pendingBytes = 0;
  };
  return {
    add(clearBytes, protectedBytes) {
      const isProtected = protectedBytes >= BLOCK_BYTES;
      const surplusBytes = isProtected ? (isBlockAligned ? protectedBytes % BLOCK_BYTES : 0) : protectedBytes;
      pendingBytes += clearBytes + surplusBytes;
      if (isProtected) flush(protectedBytes - surplusBytes);
    },
    end() {
      flush(0);
      return list;
    },
  };
}
