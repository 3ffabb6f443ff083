import { BrokenMedia } from '../bmff/broken-media.ts';

/** Reads the bits of one NAL unit. A read past its end throws BrokenMedia. */
export type BitReader = {
  bit(): number;
  /** Reads an unsigned number of 0 to 32 bits. */
  bits(count: number): number;
  /** Reads an unsigned Exp-Golomb number (ITU-T H.264 section 9.1). Rejects numbers above `max`. */
  ue(max?: number): number;
  /** Reads a signed Exp-Golomb number. */
  se(): number;
  /** Returns the number of bytes of the NAL unit read so far, including emulation prevention bytes. */
  bytesRead(): number;
  /** Returns the number of bits read so far, without emulation prevention bytes and the first byte. */
  bitsRead(): number;
};

const MAX_GOLOMB_PREFIX = 32;
const EMULATION_PREVENTION = 3;

/** Opens a NAL unit after its first byte. Skips emulation prevention bytes (H.264 section 7.3.1). */
export function openNalBits(nal: Uint8Array): BitReader {
  let at = 1;
  let zeros = nal[0] === 0 ? 1 : 0;
  let current = 0;
  let left = 0;
  let skipped = 0;

  function nextByte(): void {
    if (zeros >= 2 && nal[at] === EMULATION_PREVENTION) {
      at += 1;
      skipped += 1;
      zeros = 0;
    }
    const byte = nal[at];
    if (byte === undefined) throw new BrokenMedia(`Expected more bits in a NAL unit of ${nal.length} bytes.`);
    at += 1;
    zeros = byte === 0 ? zeros + 1 : 0;
    current = byte;
    left = 8;
  }

  function bit(): number {
    if (left === 0) nextByte();
    left -= 1;
    return (current >> left) & 1;
  }

  function bits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index += 1) value = value * 2 + bit();
    return value;
  }

  function ue(max = 2 ** 32 - 2): number {
    let prefix = 0;
    while (bit() === 0) {
      prefix += 1;
      if (prefix > MAX_GOLOMB_PREFIX)
        throw new BrokenMedia('Expected an Exp-Golomb code with at most 32 leading zeros, got more.');
    }
    const value = 2 ** prefix - 1 + bits(prefix);
    if (value > max) throw new BrokenMedia(`Expected an Exp-Golomb number up to ${max}, got ${value}.`);
    return value;
  }

  return {
    bit,
    bits,
    ue,
    se: () => {
      const code = ue();
      return code % 2 === 0 ? -code / 2 : (code + 1) / 2;
    },
    bytesRead: () => at,
    bitsRead: () => (at - 1 - skipped) * 8 - left,
  };
}
