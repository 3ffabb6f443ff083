import { BrokenMedia } from '../bmff/broken-media.ts';
import { type BitReader, openNalBits } from '../drm/bit-reader.ts';

const NAL_SPS = 33;
const MOST_SIDE_PX = 16_384;

/**
 * Width and height after cropping, from the first SPS of an `hvcC` (ISO 14496-15 section 8.3.3, ITU-T H.265 section
 * 7.3.2.2).
 */
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
      // The second byte of the NAL header stands before what `openNalBits` reads.
      if (type === NAL_SPS && nal.length > 2) return readSps(openNalBits(nal.subarray(1)));
    }
  }
  throw new BrokenMedia('Expected an SPS in hvcC, got none.');
}

function readSps(reader: BitReader): { widthPx: number; heightPx: number } {
  reader.bits(4);
  const subLayers = reader.bits(3);
  reader.bit();
  // general_profile_space to general_level_idc.
  for (let part = 0; part < 3; part += 1) reader.bits(32);
  skipSubLayers(reader, subLayers);
  reader.ue(15);
  const chromaFormat = reader.ue(3);
  if (chromaFormat === 3) reader.bit();
  const width = reader.ue(MOST_SIDE_PX);
  const height = reader.ue(MOST_SIDE_PX);
  const crop = reader.bit() === 1 ? [reader.ue(), reader.ue(), reader.ue(), reader.ue()] : [0, 0, 0, 0];
  const [left = 0, right = 0, top = 0, bottom = 0] = crop;
  const unitX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const unitY = chromaFormat === 1 ? 2 : 1;
  return { widthPx: width - (left + right) * unitX, heightPx: height - (top + bottom) * unitY };
}

/** Steps over profile and level of the sub-layers, which follow the general ones (H.265 section 7.3.3). */
export function skipSubLayers(reader: BitReader, subLayers: number): void {
  const present: [number, number][] = [];
  for (let layer = 0; layer < subLayers; layer += 1) present.push([reader.bit(), reader.bit()]);
  if (subLayers > 0) for (let layer = subLayers; layer < 8; layer += 1) reader.bits(2);
  for (const [profile, level] of present) {
    if (profile === 1) for (let part = 0; part < 11; part += 1) reader.bits(8);
    if (level === 1) reader.bits(8);
  }
}
