import { type BitReader, openNalBits } from './bit-reader.ts';

/** The beginning of a sequence parameter set of H.265 (ITU-T H.265 section 7.3.2.2). */
export type H265SequenceSet = {
  subLayers: number;
  /** Value of sps_temporal_id_nesting_flag. */
  isNested: number;
  profileTierLevel: Buffer;
  chromaFormat: number;
  /** Size after cropping. */
  widthPx: number;
  heightPx: number;
  lumaDepthMinus8: number;
  chromaDepthMinus8: number;
};

const PROFILE_TIER_LEVEL_BYTES = 12;
const MAX_SIDE_PX = 16_384;

/** Reads an SPS NAL unit of at least three bytes. Throws BrokenMedia if it ends early. */
export function readH265SequenceSet(nal: Buffer): H265SequenceSet {
  // Skip the second byte of the NAL header: `openNalBits` starts after the first.
  const reader = openNalBits(nal.subarray(1));
  reader.bits(4);
  const subLayersMinus1 = reader.bits(3);
  const isNested = reader.bit();
  const profileTierLevel = Buffer.from(Array.from({ length: PROFILE_TIER_LEVEL_BYTES }, () => reader.bits(8)));
  skipSubLayers(reader, subLayersMinus1);
  reader.ue(15);
  const chromaFormat = reader.ue(3);
  if (chromaFormat === 3) reader.bit();
  const size = readSize(reader, chromaFormat);
  const [lumaDepthMinus8, chromaDepthMinus8] = [reader.ue(8), reader.ue(8)];
  return {
    ...{ subLayers: subLayersMinus1 + 1, isNested, profileTierLevel, chromaFormat, ...size },
    ...{ lumaDepthMinus8, chromaDepthMinus8 },
  };
}

function readSize(reader: BitReader, chromaFormat: number): { widthPx: number; heightPx: number } {
  const [width, height] = [reader.ue(MAX_SIDE_PX), reader.ue(MAX_SIDE_PX)];
  const crop = reader.bit() === 1 ? [reader.ue(), reader.ue(), reader.ue(), reader.ue()] : [];
  const [left = 0, right = 0, top = 0, bottom = 0] = crop;
  const unitX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const unitY = chromaFormat === 1 ? 2 : 1;
  return { widthPx: width - (left + right) * unitX, heightPx: height - (top + bottom) * unitY };
}

/** Skips the profile and level of the sub-layers, which follow the general profile and level (H.265 section 7.3.3). */
function skipSubLayers(reader: BitReader, subLayers: number): void {
  const present: [number, number][] = [];
  for (let layer = 0; layer < subLayers; layer += 1) present.push([reader.bit(), reader.bit()]);
  if (subLayers > 0) for (let layer = subLayers; layer < 8; layer += 1) reader.bits(2);
  for (const [profile, level] of present) {
    if (profile === 1) for (let part = 0; part < 11; part += 1) reader.bits(8);
    if (level === 1) reader.bits(8);
  }
}
