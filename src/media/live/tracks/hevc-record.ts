import { writeU16 } from '../../bmff/boxes.ts';
import { BrokenMedia } from '../../bmff/broken-media.ts';
import { readH265SequenceSet } from '../../nal/h265-sequence-set.ts';

const FIRST_IRAP = 16;
const LAST_IRAP = 21;
const SETS = { vps: 32, sps: 33, pps: 34 };
/** Marks an array that contains all parameter sets of its type, so that samples contain none. */
const COMPLETE = 0x80;
const LENGTH_BYTES_MINUS_1 = 3;

/**
 * Writes an HEVCDecoderConfigurationRecord (ISO 14496-15 section 8.3.3) with lengths of four bytes. Throws BrokenMedia
 * if the parameter sets are missing or invalid.
 */
export function writeHevcRecord(vps: readonly Buffer[], sps: readonly Buffer[], pps: readonly Buffer[]): Buffer {
  const [first] = sps;
  if (first === undefined || first.length < 3) throw new BrokenMedia('Expected a complete HEVC SPS, got none.');
  const facts = readH265SequenceSet(first);
  const layers = (facts.subLayers << 3) | (facts.isNested << 2) | LENGTH_BYTES_MINUS_1;
  const head = Buffer.concat([
    Buffer.from([1]),
    facts.profileTierLevel,
    Buffer.from([
      0xf0,
      0,
      0xfc,
      0xfc | facts.chromaFormat,
      0xf8 | facts.lumaDepthMinus8,
      0xf8 | facts.chromaDepthMinus8,
      0,
      0,
    ]),
    Buffer.from([layers, 3]),
  ]);
  return Buffer.concat([head, arrayOf(SETS.vps, vps), arrayOf(SETS.sps, sps), arrayOf(SETS.pps, pps)]);
}

/** Whether a frame is an intra random access point (H.265 section 7.4.2.2). */
export function isHevcKey(nals: readonly Buffer[]): boolean {
  return nals.some((nal) => {
    const type = (nal.readUInt8(0) >> 1) & 0x3f;
    return type >= FIRST_IRAP && type <= LAST_IRAP;
  });
}

function arrayOf(type: number, sets: readonly Buffer[]): Buffer {
  const units = sets.flatMap((set) => [writeU16(set.length), set]);
  return Buffer.concat([Buffer.from([COMPLETE | type]), writeU16(sets.length), ...units]);
}
