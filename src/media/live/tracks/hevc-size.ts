import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readH265SequenceSet } from '../../nal/h265-sequence-set.ts';

const NAL_SPS = 33;

/** Returns the cropped size, from the first SPS of an `hvcC` (ISO 14496-15 section 8.3.3). */
export function readHevcSize(record: Buffer): { widthPx: number; heightPx: number } {
  let at = 22;
  const take = (count: number): Buffer => {
    if (at + count > record.length) throw new BrokenMedia(`Expected ${count} more bytes in hvcC at byte ${at}.`);
    at += count;
    return record.subarray(at - count, at);
  };
  for (let arrays = take(1).readUInt8(0); arrays > 0; arrays -= 1) {
    const type = take(1).readUInt8(0) & 0x3f;
    for (let count = take(2).readUInt16BE(0); count > 0; count -= 1) {
      const nal = take(take(2).readUInt16BE(0));
      if (type !== NAL_SPS || nal.length < 3) continue;
      const { widthPx, heightPx } = readH265SequenceSet(nal);
      return { widthPx, heightPx };
    }
  }
  throw new BrokenMedia('Expected an SPS in hvcC, got none.');
}
