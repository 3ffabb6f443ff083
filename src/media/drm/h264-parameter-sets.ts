import { BrokenMedia } from '../bmff/broken-media.ts';
import { type BitReader, openNalBits } from './bit-reader.ts';

/** What the length of a slice header depends on in a sequence parameter set (ITU-T H.264 section 7.3.2.1.1). */
export type SequenceSet = {
  /** 0 when the colours are coded as planes of their own or there are none. */
  chromaArrayType: number;
  hasSeparatePlanes: boolean;
  frameNumberBits: number;
  /** How picture order is coded. */
  order: { type: 0; lsbBits: number } | { type: 1; isAlwaysZero: boolean } | { type: 2 };
  framesOnly: boolean;
  /** Slice group map units of a picture. */
  mapUnits: number;
};

/** What the length of a slice header depends on in a picture parameter set (ITU-T H.264 section 7.3.2.2). */
export type PictureSet = {
  sequenceId: number;
  isCabac: boolean;
  hasBottomFieldOrder: boolean;
  /** Map units a slice group changes by; null when slices do not say. */
  groupChangeRate: number | null;
  /** References in use in list 0 and 1 unless a slice says otherwise. */
  activeReferences: readonly [number, number];
  isWeighted: boolean;
  bipredictiveWeights: number;
  hasDeblockingControl: boolean;
  hasRedundantCount: boolean;
};

/** The parameter sets known at a place in the stream. */
export type ParameterSets = { sequences: Map<number, SequenceSet>; pictures: Map<number, PictureSet> };

/** An `avcC` box's content, opened (ISO 14496-15 section 5.3.3). */
export type AvcConfiguration = { nalLengthBytes: number; sets: ParameterSets };

const NAL_SPS = 7;
const NAL_PPS = 8;
/** Profiles whose SPS holds chroma format, bit depths and scaling lists. */
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
const MAX_REFERENCES = 32;
const MAX_SIDE_MACROBLOCKS = 4096;

/** Reads the content of an `avcC` box: the length field's size and its parameter sets. Throws BrokenMedia. */
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

/**
 * Takes an SPS or PPS NAL unit into `sets`; any other NAL unit changes nothing. Throws BrokenMedia on a damaged one.
 */
export function readParameterSet(nal: Buffer, sets: ParameterSets): void {
  const type = (nal[0] ?? 0) & 0x1f;
  if (type === NAL_SPS) readSequenceSet(openNalBits(nal), sets);
  if (type === NAL_PPS) readPictureSet(openNalBits(nal), sets);
}

function readSequenceSet(reader: BitReader, sets: ParameterSets): void {
  const profile = reader.bits(8);
  reader.bits(16);
  const id = reader.ue(31);
  const chroma = HIGH_PROFILES.has(profile) ? readChroma(reader) : { format: 1, hasSeparatePlanes: false };
  const frameNumberBits = reader.ue(12) + 4;
  const order = readOrder(reader);
  reader.ue();
  reader.bit();
  const widthUnits = reader.ue(MAX_SIDE_MACROBLOCKS - 1) + 1;
  const heightUnits = reader.ue(MAX_SIDE_MACROBLOCKS - 1) + 1;
  sets.sequences.set(id, {
    chromaArrayType: chroma.hasSeparatePlanes ? 0 : chroma.format,
    hasSeparatePlanes: chroma.hasSeparatePlanes,
    frameNumberBits,
    order,
    framesOnly: reader.bit() === 1,
    mapUnits: widthUnits * heightUnits,
  });
}

function readChroma(reader: BitReader): { format: number; hasSeparatePlanes: boolean } {
  const format = reader.ue(3);
  const hasSeparatePlanes = format === 3 && reader.bit() === 1;
  reader.ue(6);
  reader.ue(6);
  reader.bit();
  if (reader.bit() === 1) {
    for (let list = 0; list < (format === 3 ? 12 : 8); list += 1) {
      if (reader.bit() === 1) skipScalingList(reader, list < 6 ? 16 : 64);
    }
  }
  return { format, hasSeparatePlanes };
}

/** H.264 section 7.3.2.1.1.1. */
function skipScalingList(reader: BitReader, size: number): void {
  let last = 8;
  for (let index = 0; index < size; index += 1) {
    const next = (last + reader.se() + 256) % 256;
    if (next === 0) return;
    last = next;
  }
}

function readOrder(reader: BitReader): SequenceSet['order'] {
  const type = reader.ue(2);
  if (type === 0) return { type, lsbBits: reader.ue(12) + 4 };
  if (type === 2) return { type };
  const isAlwaysZero = reader.bit() === 1;
  reader.se();
  reader.se();
  const cycle = reader.ue(255);
  for (let index = 0; index < cycle; index += 1) reader.se();
  return { type: 1, isAlwaysZero };
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

/** Steps over the slice group map; its change rate matters to slices of types 3 to 5. */
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
