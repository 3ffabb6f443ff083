import { BrokenMedia } from '../bmff/broken-media.ts';
import { type BitReader, openNalBits } from './bit-reader.ts';

/** A sequence parameter set of H.264 up to its video usability information (ITU-T H.264 section 7.3.2.1.1). */
export type H264SequenceSet = {
  id: number;
  chromaFormat: number;
  /** Whether the colour planes are coded separately. */
  hasSeparatePlanes: boolean;
  lumaDepthMinus8: number;
  chromaDepthMinus8: number;
  frameNumberBits: number;
  /** Coding of the picture order count. */
  order: { type: 0; lsbBits: number } | { type: 1; isAlwaysZero: boolean } | { type: 2 };
  framesOnly: boolean;
  /** Slice group map units per picture. */
  mapUnits: number;
  /** Size after cropping. */
  widthPx: number;
  heightPx: number;
  /** Position of vui_parameters_present_flag, in bits after the first byte, without emulation prevention bytes. */
  usabilityAtBit: number;
};

/** Profiles whose SPS contains chroma format, bit depths and scaling lists. */
const HIGH_PROFILES = new Set([100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]);
const MAX_SIDE_MACROBLOCKS = 4096;

/** Reads an SPS NAL unit. Throws BrokenMedia if it ends early or its cropping removes the whole frame. */
export function readH264SequenceSet(nal: Uint8Array): H264SequenceSet {
  const reader = openNalBits(nal);
  const profile = reader.bits(8);
  reader.bits(16);
  const id = reader.ue(31);
  const chroma = HIGH_PROFILES.has(profile) ? readChroma(reader) : CHROMA_420;
  const frameNumberBits = reader.ue(12) + 4;
  const order = readOrder(reader);
  reader.ue();
  reader.bit();
  const widthUnits = reader.ue(MAX_SIDE_MACROBLOCKS - 1) + 1;
  const heightUnits = reader.ue(MAX_SIDE_MACROBLOCKS - 1) + 1;
  const framesOnly = reader.bit() === 1;
  if (!framesOnly) reader.bit();
  reader.bit();
  const size = readSize(reader, { widthUnits, heightUnits, framesOnly, ...chroma });
  const [mapUnits, usabilityAtBit] = [widthUnits * heightUnits, reader.bitsRead()];
  return { id, ...chroma, frameNumberBits, order, framesOnly, mapUnits, ...size, usabilityAtBit };
}

type Chroma = Pick<H264SequenceSet, 'chromaFormat' | 'hasSeparatePlanes' | 'lumaDepthMinus8' | 'chromaDepthMinus8'>;

const CHROMA_420: Chroma = { chromaFormat: 1, hasSeparatePlanes: false, lumaDepthMinus8: 0, chromaDepthMinus8: 0 };

function readChroma(reader: BitReader): Chroma {
  const chromaFormat = reader.ue(3);
  const hasSeparatePlanes = chromaFormat === 3 && reader.bit() === 1;
  const [lumaDepthMinus8, chromaDepthMinus8] = [reader.ue(6), reader.ue(6)];
  reader.bit();
  if (reader.bit() === 1) {
    for (let list = 0; list < (chromaFormat === 3 ? 12 : 8); list += 1) {
      if (reader.bit() === 1) skipScalingList(reader, list < 6 ? 16 : 64);
    }
  }
  return { chromaFormat, hasSeparatePlanes, lumaDepthMinus8, chromaDepthMinus8 };
}

/** Skips a scaling list (H.264 section 7.3.2.1.1.1). */
function skipScalingList(reader: BitReader, size: number): void {
  let last = 8;
  for (let index = 0; index < size; index += 1) {
    const next = (last + reader.se() + 256) % 256;
    if (next === 0) return;
    last = next;
  }
}

function readOrder(reader: BitReader): H264SequenceSet['order'] {
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

type Coded = Chroma & { widthUnits: number; heightUnits: number; framesOnly: boolean };

function readSize(reader: BitReader, { widthUnits, heightUnits, framesOnly, ...chroma }: Coded) {
  const crop = reader.bit() === 1 ? [reader.ue(), reader.ue(), reader.ue(), reader.ue()] : [];
  const [left = 0, right = 0, top = 0, bottom = 0] = crop;
  const chromaFormat = chroma.hasSeparatePlanes ? 0 : chroma.chromaFormat;
  const fieldsOfFrame = framesOnly ? 1 : 2;
  const unitX = chromaFormat === 1 || chromaFormat === 2 ? 2 : 1;
  const unitY = (chromaFormat === 1 ? 2 : 1) * fieldsOfFrame;
  const widthPx = widthUnits * 16 - (left + right) * unitX;
  const heightPx = heightUnits * 16 * fieldsOfFrame - (top + bottom) * unitY;
  if (widthPx < 1 || heightPx < 1)
    throw new BrokenMedia(`Expected a frame size above 0 in an SPS, got ${widthPx} x ${heightPx}.`);
  return { widthPx, heightPx };
}
