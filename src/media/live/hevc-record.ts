import { writeU16 } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { openNalBits } from '../drm/bit-reader.ts';
import { skipSubLayers } from './hevc-size.ts';

const FIRST_IRAP = 16;
const LAST_IRAP = 21;
const PROFILE_TIER_LEVEL_BYTES = 12;
const SETS = { vps: 32, sps: 33, pps: 34 };
/** All units of the array are there, none is in the samples. */
const COMPLETE = 0x80;
const LENGTH_BYTES_MINUS_1 = 3;

/**
 * Writes an HEVCDecoderConfigurationRecord (ISO 14496-15 section 8.3.3) for lengths of four bytes. Throws BrokenMedia.
 */
export function writeHevcRecord(vps: readonly Buffer[], sps: readonly Buffer[], pps: readonly Buffer[]): Buffer {
  const [first] = sps;
  if (first === undefined || first.length < 3) throw new BrokenMedia('Expected a whole SPS of HEVC, got none.');
  const facts = readFacts(first);
  const layers = (facts.subLayers << 3) | (facts.isNested << 2) | LENGTH_BYTES_MINUS_1;
  const head = Buffer.concat([
    Buffer.from([1]),
    facts.profileTierLevel,
    Buffer.from([0xf0, 0, 0xfc, 0xfc | facts.chromaFormat, 0xf8 | facts.lumaDepth, 0xf8 | facts.chromaDepth, 0, 0]),
    Buffer.from([layers, 3]),
  ]);
  return Buffer.concat([head, arrayOf(SETS.vps, vps), arrayOf(SETS.sps, sps), arrayOf(SETS.pps, pps)]);
}

/** Whether a picture is an intra random access point (H.265 section 7.4.2.2). */
export function isHevcKey(nals: readonly Buffer[]): boolean {
  return nals.some((nal) => {
    const type = (nal.readUInt8(0) >> 1) & 0x3f;
    return type >= FIRST_IRAP && type <= LAST_IRAP;
  });
}

/** The beginning of an SPS (H.265 section 7.3.2.2). */
function readFacts(sps: Buffer) {
  // The second byte of the NAL header stands before what `openNalBits` reads.
  const reader = openNalBits(sps.subarray(1));
  reader.bits(4);
  const subLayersMinus1 = reader.bits(3);
  const isNested = reader.bit();
  const profileTierLevel = Buffer.from(Array.from({ length: PROFILE_TIER_LEVEL_BYTES }, () => reader.bits(8)));
  skipSubLayers(reader, subLayersMinus1);
  reader.ue(15);
  const chromaFormat = reader.ue(3);
  if (chromaFormat === 3) reader.bit();
  reader.ue();
  reader.ue();
  if (reader.bit() === 1) for (let side = 0; side < 4; side += 1) reader.ue();
  const lumaDepth = reader.ue(8);
  const chromaDepth = reader.ue(8);
  return { subLayers: subLayersMinus1 + 1, isNested, profileTierLevel, chromaFormat, lumaDepth, chromaDepth };
}

function arrayOf(type: number, sets: readonly Buffer[]): Buffer {
  const units = sets.flatMap((set) => [writeU16(set.length), set]);
  return Buffer.concat([Buffer.from([COMPLETE | type]), writeU16(sets.length), ...units]);
}
