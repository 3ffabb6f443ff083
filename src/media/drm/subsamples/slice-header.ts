import { BrokenMedia } from '../../bmff/broken-media.ts';
import { type BitReader, openNalBits } from '../../nal/bit-reader.ts';
import type { H264SequenceSet } from '../../nal/h264-sequence-set.ts';
import type { ParameterSets, PictureSet } from './h264-parameter-sets.ts';

const NAL_IDR = 5;
/**
 * Maximum number of reference list changes, and of marking commands, in a slice header. It covers every field of the
 * largest decoded picture buffer.
 */
const MAX_COMMANDS = 66;
const MAX_REFERENCES = 32;

type SliceKind = 'P' | 'B' | 'I' | 'SP' | 'SI';
const SLICE_KINDS: readonly SliceKind[] = ['P', 'B', 'I', 'SP', 'SI'];

type Slice = {
  reader: BitReader;
  kind: SliceKind;
  isIdr: boolean;
  isReference: boolean;
  sequence: H264SequenceSet;
  picture: PictureSet;
};

/**
 * Measures the clear part of an H.264 slice: the bytes from the start of the NAL unit to the end of its slice header
 * (ITU-T H.264 section 7.3.3), including emulation prevention bytes, rounded up to a whole byte. `nal` is a slice NAL
 * unit (type 1 or 5) without its length field. Throws BrokenMedia if the header is damaged or refers to a parameter set
 * that is not in `sets`.
 */
export function measureSliceHeader(nal: Uint8Array, sets: ParameterSets): number {
  const reader = openNalBits(nal);
  const head = nal[0] ?? 0;
  reader.ue();
  const kind = SLICE_KINDS[reader.ue(9) % SLICE_KINDS.length];
  const pictureId = reader.ue(255);
  const picture = sets.pictures.get(pictureId);
  const sequence = picture && sets.sequences.get(picture.sequenceId);
  if (kind === undefined || picture === undefined || sequence === undefined) {
    throw new BrokenMedia(`Expected a slice of a known picture parameter set, got one of set ${pictureId}.`);
  }
  const slice = { reader, kind, isIdr: (head & 0x1f) === NAL_IDR, isReference: (head & 0x60) !== 0, sequence, picture };
  skipPictureOrder(slice);
  skipReferences(slice);
  skipQuantisation(slice);
  return reader.bytesRead();
}

/** Skips colour_plane_id to redundant_pic_cnt. */
function skipPictureOrder({ reader, isIdr, sequence, picture }: Slice): void {
  if (sequence.hasSeparatePlanes) reader.bits(2);
  reader.bits(sequence.frameNumberBits);
  const isField = !sequence.framesOnly && reader.bit() === 1;
  if (isField) reader.bit();
  if (isIdr) reader.ue(65_535);
  const hasBottomOrder = picture.hasBottomFieldOrder && !isField;
  const { order } = sequence;
  if (order.type === 0) {
    reader.bits(order.lsbBits);
    if (hasBottomOrder) reader.se();
  }
  if (order.type === 1 && !order.isAlwaysZero) {
    reader.se();
    if (hasBottomOrder) reader.se();
  }
  if (picture.hasRedundantCount) reader.ue(127);
}

/** Skips direct_spatial_mv_pred_flag to dec_ref_pic_marking. */
function skipReferences(slice: Slice): void {
  const { reader, kind, picture } = slice;
  const lists = kind === 'B' ? 2 : kind === 'P' || kind === 'SP' ? 1 : 0;
  const active = [...picture.activeReferences];
  if (kind === 'B') reader.bit();
  if (lists > 0 && reader.bit() === 1) {
    for (let list = 0; list < lists; list += 1) active[list] = reader.ue(MAX_REFERENCES - 1) + 1;
  }
  for (let list = 0; list < lists; list += 1) skipListChanges(reader);
  const isWeighted = kind === 'B' ? picture.bipredictiveWeights === 1 : lists === 1 && picture.isWeighted;
  if (isWeighted) skipWeights(slice, active.slice(0, lists));
  if (slice.isReference) skipMarking(slice);
}

/** Skips one list of ref_pic_list_modification (section 7.3.3.1). */
function skipListChanges(reader: BitReader): void {
  if (reader.bit() === 0) return;
  for (let command = 0; command <= MAX_COMMANDS; command += 1) {
    if (reader.ue(3) === 3) return;
    reader.ue();
  }
  throw new BrokenMedia(`Expected at most ${MAX_COMMANDS} changes of a reference list in a slice header.`);
}

/** Skips pred_weight_table (section 7.3.3.2). */
function skipWeights({ reader, sequence }: Slice, active: readonly number[]): void {
  const hasChroma = !sequence.hasSeparatePlanes && sequence.chromaFormat !== 0;
  reader.ue(7);
  if (hasChroma) reader.ue(7);
  for (const references of active) {
    for (let index = 0; index < references; index += 1) {
      skipSignedWhenFlagged(reader, 2);
      if (hasChroma) skipSignedWhenFlagged(reader, 4);
    }
  }
}

function skipSignedWhenFlagged(reader: BitReader, count: number): void {
  if (reader.bit() === 0) return;
  for (let index = 0; index < count; index += 1) reader.se();
}

/** Skips dec_ref_pic_marking (section 7.3.3.3). */
function skipMarking({ reader, isIdr }: Slice): void {
  if (isIdr) {
    reader.bits(2);
    return;
  }
  if (reader.bit() === 0) return;
  for (let command = 0; command <= MAX_COMMANDS; command += 1) {
    const operation = reader.ue(6);
    if (operation === 0) return;
    if (operation !== 5) reader.ue();
    if (operation === 3) reader.ue();
  }
  throw new BrokenMedia(`Expected at most ${MAX_COMMANDS} reference marking commands in a slice header.`);
}

/** Skips cabac_init_idc to slice_group_change_cycle, the last field of the header. */
function skipQuantisation({ reader, kind, sequence, picture }: Slice): void {
  if (picture.isCabac && kind !== 'I' && kind !== 'SI') reader.ue(2);
  reader.se();
  if (kind === 'SP') reader.bit();
  if (kind === 'SP' || kind === 'SI') reader.se();
  if (picture.hasDeblockingControl && reader.ue(2) !== 1) {
    reader.se();
    reader.se();
  }
  if (picture.groupChangeRate === null) return;
  reader.bits(Math.ceil(Math.log2(Math.ceil(sequence.mapUnits / picture.groupChangeRate) + 1)));
}
