import { BrokenMedia } from '../../bmff/broken-media.ts';
import { type BitReader, openNalBits } from '../../nal/bit-reader.ts';
import { type H264SequenceSet, readH264SequenceSet } from '../../nal/h264-sequence-set.ts';

/** Fields of a picture parameter set that affect the length of a slice header (ITU-T H.264 section 7.3.2.2). */
export type PictureSet = {
  sequenceId: number;
  isCabac: boolean;
  hasBottomFieldOrder: boolean;
  /**
   * Number of map units by which a slice group changes, or null if slice headers do not have the field that uses it.
   */
  groupChangeRate: number | null;
  /** Default number of references in lists 0 and 1, which a slice may override. */
  activeReferences: readonly [number, number];
  isWeighted: boolean;
  bipredictiveWeights: number;
  hasDeblockingControl: boolean;
  hasRedundantCount: boolean;
};

/** Parameter sets in effect at a position in the stream. */
export type ParameterSets = { sequences: Map<number, H264SequenceSet>; pictures: Map<number, PictureSet> };

/** Parsed content of an `avcC` box (ISO 14496-15 section 5.3.3). */
export type AvcConfiguration = { nalLengthBytes: number; sets: ParameterSets };

const NAL_SPS = 7;
const NAL_PPS = 8;
const MAX_REFERENCES = 32;
const MAX_SIDE_MACROBLOCKS = 4096;

/**
 * Reads the content of an `avcC` box: the size of the length field, and the parameter sets. Throws BrokenMedia if it is
 * damaged.
 */
export function readAvcConfiguration(avcC: Buffer): AvcConfiguration {
  const sets: ParameterSets = { sequences: new Map(), pictures: new Map() };
  let at = 4;
  const take = (count: number): Buffer => {
    if (at + count > avcC.length) throw new BrokenMedia(`Expected ${count} more bytes in avcC at byte ${at}.`);
    at += count;
    return avcC.subarray(at - count, at);
  };
  const nalLengthBytes = (take(1).readUInt8(0) & 3) + 1;
  for (const mask of [0x1f, 0xff]) {
    const count = take(1).readUInt8(0) & mask;
    for (let index = 0; index < count; index += 1) readParameterSet(take(take(2).readUInt16BE(0)), sets);
  }
  return { nalLengthBytes, sets };
}

/** Adds an SPS or PPS NAL unit to `sets`. Ignores other NAL units. Throws BrokenMedia for a damaged one. */
export function readParameterSet(nal: Buffer, sets: ParameterSets): void {
  const type = (nal[0] ?? 0) & 0x1f;
  if (type === NAL_SPS) {
    const set = readH264SequenceSet(nal);
    sets.sequences.set(set.id, set);
  }
  if (type === NAL_PPS) readPictureSet(openNalBits(nal), sets);
}

function readPictureSet(reader: BitReader, sets: ParameterSets): void {
  const id = reader.ue(255);
  const sequenceId = reader.ue(31);
  const isCabac = reader.bit() === 1;
  const hasBottomFieldOrder = reader.bit() === 1;
  const groupChangeRate = readSliceGroups(reader);
  const activeReferences = [reader.ue(MAX_REFERENCES - 1) + 1, reader.ue(MAX_REFERENCES - 1) + 1] as const;
  const isWeighted = reader.bit() === 1;
  const bipredictiveWeights = reader.bits(2);
  for (let skipped = 0; skipped < 3; skipped += 1) reader.se();
  const hasDeblockingControl = reader.bit() === 1;
  reader.bit();
  sets.pictures.set(id, {
    ...{ sequenceId, isCabac, hasBottomFieldOrder, groupChangeRate, activeReferences, isWeighted },
    ...{ bipredictiveWeights, hasDeblockingControl, hasRedundantCount: reader.bit() === 1 },
  });
}

/** Skips the slice group map and returns its change rate, which types 3 to 5 use. */
function readSliceGroups(reader: BitReader): number | null {
  const groups = reader.ue(7) + 1;
  if (groups === 1) return null;
  const type = reader.ue(6);
  if (type === 0) for (let group = 0; group < groups; group += 1) reader.ue();
  if (type === 2) for (let corner = 0; corner < 2 * (groups - 1); corner += 1) reader.ue();
  if (type >= 3 && type <= 5) {
    reader.bit();
    return reader.ue(MAX_SIDE_MACROBLOCKS ** 2) + 1;
  }
  if (type === 6) {
    const units = reader.ue(MAX_SIDE_MACROBLOCKS ** 2) + 1;
    const idBits = Math.ceil(Math.log2(groups));
    for (let unit = 0; unit < units; unit += 1) reader.bits(idBits);
  }
  return null;
}
