import { BrokenMedia } from '../../bmff/broken-media.ts';
import type { ParameterSets, PictureSet } from '../../drm/subsamples/h264-parameter-sets.ts';
import { type BitReader, openNalBits } from '../../nal/bit-reader.ts';
import { BitWriter } from '../../nal/bit-writer.ts';
import { addEmulationPrevention, removeEmulationPrevention } from '../../nal/emulation-prevention.ts';
import type { H264SequenceSet } from '../../nal/h264-sequence-set.ts';

const NAL_IDR = 5;
const SLICE_KINDS = ['P', 'B', 'I', 'SP', 'SI'] as const;
const MAX_COMMANDS = 66;
const MAX_REFERENCES = 32;

/** Fields of a slice header (ITU-T H.264 section 7.3.3) that the slice's GOP determines. */
export type SliceNumbers = {
  kind: (typeof SLICE_KINDS)[number];
  isReference: boolean;
  frameNumber: number;
  /** pic_order_cnt_lsb, or null if the order is not coded in slices. */
  order: number | null;
  sequence: H264SequenceSet;
};

/**
 * A GOP to close. `key` and `order` are the frame number and the picture order count of its keyframe before the change.
 * `dropped` is the number of reference frames that are left out after the keyframe.
 */
export type ClosedGop = { key: number; order: number; dropped: number; idrId: number };

/** Thrown for a slice whose numbers cannot be changed: fields, slice groups, SP, SI, and resets of frame numbers. */
export class UnsupportedSlice extends Error {}

/**
 * Reads the numbers of a slice. Throws BrokenMedia if the header is damaged or its parameter sets are unknown, and
 * UnsupportedSlice for fields.
 */
export function readSliceNumbers(nal: Buffer, sets: ParameterSets): SliceNumbers {
  const reader = openNalBits(nal);
  const { kind, sequence } = readStart(reader, sets);
  if (sequence.hasSeparatePlanes) reader.bits(2);
  const frameNumber = reader.bits(sequence.frameNumberBits);
  if (!sequence.framesOnly || sequence.order.type === 1) throw new UnsupportedSlice('Expected frames, got fields.');
  if (isIdr(nal)) reader.ue(65_535);
  const order = sequence.order.type === 0 ? reader.bits(sequence.order.lsbBits) : null;
  return { kind, isReference: isReference(nal), frameNumber, order, sequence };
}

/**
 * Returns a slice of a closed GOP: its numbers count from the keyframe, its commands do not name frames before the
 * keyframe or dropped ones, and a slice of the keyframe (number 0) becomes one of an IDR picture. `number` is the
 * slice's frame number relative to the keyframe, without wrapping. Throws BrokenMedia if the header is damaged, and
 * UnsupportedSlice if its numbers cannot be changed.
 */
export function rewriteSlice(nal: Buffer, sets: ParameterSets, gop: ClosedGop, number: number): Buffer {
  const [reader, writer] = [openNalBits(nal), new BitWriter()];
  const start = readStart(reader, sets);
  const slice: Slice = { ...start, reader, writer, gop, number, isReference: isReference(nal), isKey: number === 0 };
  writer.ue(start.firstMacroblock);
  writer.ue(start.type);
  writer.ue(start.pictureId);
  copyOrder(slice);
  copyReferences(slice);
  copyQuantisation(slice);
  const head = (nal[0] ?? 0) & 0xe0;
  const type = slice.isKey ? NAL_IDR : (nal[0] ?? 0) & 0x1f;
  return addEmulationPrevention(Buffer.concat([Buffer.of(head | type), appendData(slice, nal)]));
}

type Start = {
  firstMacroblock: number;
  type: number;
  kind: SliceNumbers['kind'];
  pictureId: number;
  picture: PictureSet;
  sequence: H264SequenceSet;
};
type Slice = Start & {
  reader: BitReader;
  writer: BitWriter;
  gop: ClosedGop;
  number: number;
  isReference: boolean;
  isKey: boolean;
};

const isIdr = (nal: Buffer) => ((nal[0] ?? 0) & 0x1f) === NAL_IDR;
const isReference = (nal: Buffer) => ((nal[0] ?? 0) & 0x60) !== 0;

function readStart(reader: BitReader, sets: ParameterSets): Start {
  const [firstMacroblock, type, pictureId] = [reader.ue(), reader.ue(9), reader.ue(255)];
  const kind = SLICE_KINDS[type % SLICE_KINDS.length];
  const picture = sets.pictures.get(pictureId);
  const sequence = picture && sets.sequences.get(picture.sequenceId);
  if (kind === undefined || picture === undefined || sequence === undefined)
    throw new BrokenMedia(`Expected a slice of a known picture parameter set, got one of set ${pictureId}.`);
  return { firstMacroblock, type, kind, pictureId, picture, sequence };
}

/** Copies colour_plane_id to redundant_pic_cnt. */
function copyOrder({ reader, writer, sequence, picture, gop, number, isKey }: Slice): void {
  if (sequence.hasSeparatePlanes) writer.bits(reader.bits(2), 2);
  reader.bits(sequence.frameNumberBits);
  writer.bits(wrap(renumber(number, gop) ?? 0, sequence), sequence.frameNumberBits);
  if (isKey) writer.ue(gop.idrId);
  if (sequence.order.type === 0) {
    const range = 2 ** sequence.order.lsbBits;
    writer.bits((reader.bits(sequence.order.lsbBits) - gop.order + range) % range, sequence.order.lsbBits);
    if (picture.hasBottomFieldOrder) writer.se(reader.se());
  }
  if (picture.hasRedundantCount) writer.ue(reader.ue(127));
}

/** Copies direct_spatial_mv_pred_flag to dec_ref_pic_marking. */
function copyReferences(slice: Slice): void {
  const { reader, writer, kind, picture } = slice;
  const lists = kind === 'B' ? 2 : kind === 'P' || kind === 'SP' ? 1 : 0;
  const active = [...picture.activeReferences];
  if (kind === 'B') copyBit(slice);
  if (lists > 0 && copyBit(slice) === 1) {
    for (let list = 0; list < lists; list += 1) {
      const most = reader.ue(MAX_REFERENCES - 1);
      writer.ue(most);
      active[list] = most + 1;
    }
  }
  for (let list = 0; list < lists; list += 1) copyListChanges(slice);
  const isWeighted = kind === 'B' ? picture.bipredictiveWeights === 1 : lists === 1 && picture.isWeighted;
  if (isWeighted) copyWeights(slice, active.slice(0, lists));
  if (slice.isReference) copyMarking(slice);
}

/** Copies one list of ref_pic_list_modification (section 7.3.3.1), whose numbers are relative to each other. */
function copyListChanges(slice: Slice): void {
  const { reader, writer, number, gop, sequence } = slice;
  if (copyBit(slice) === 0) return;
  let [before, written] = [number, renumber(number, gop) ?? 0];
  for (let command = 0; command <= MAX_COMMANDS; command += 1) {
    const operation = reader.ue(3);
    if (operation === 3) {
      writer.ue(3);
      return;
    }
    const value = reader.ue();
    if (operation === 2) {
      writer.ue(2);
      writer.ue(value);
      continue;
    }
    before = unwrap(before + (operation === 0 ? -1 : 1) * (value + 1), number, sequence);
    const target = renumber(before, gop);
    if (target === null) continue;
    const step = target - written;
    writer.ue(step > 0 ? 1 : 0);
    writer.ue(step === 0 ? 2 ** sequence.frameNumberBits - 1 : Math.abs(step) - 1);
    written = target;
  }
  throw new BrokenMedia(`Expected at most ${MAX_COMMANDS} changes of a reference list in a slice header.`);
}

/** Copies pred_weight_table (section 7.3.3.2). */
function copyWeights(slice: Slice, active: readonly number[]): void {
  const { reader, writer, sequence } = slice;
  const hasChroma = !sequence.hasSeparatePlanes && sequence.chromaFormat !== 0;
  for (let planes = 0; planes < (hasChroma ? 2 : 1); planes += 1) writer.ue(reader.ue(7));
  for (const references of active) {
    for (let index = 0; index < references; index += 1) {
      for (const count of hasChroma ? [2, 4] : [2]) {
        if (copyBit(slice) === 0) continue;
        for (let number = 0; number < count; number += 1) writer.se(reader.se());
      }
    }
  }
}

/** Copies dec_ref_pic_marking (section 7.3.3.3). An IDR picture marks nothing. */
function copyMarking({ reader, writer, number, gop, isKey }: Slice): void {
  const commands = readMarking(reader).flatMap(({ operation, values }) => {
    if (operation !== 1 && operation !== 3) return [[operation, ...values]];
    const target = renumber(number - (values[0] ?? 0) - 1, gop);
    return target === null ? [] : [[operation, (renumber(number, gop) ?? 0) - target - 1, ...values.slice(1)]];
  });
  if (isKey) {
    writer.bits(0, 2);
    return;
  }
  writer.bit(commands.length > 0 ? 1 : 0);
  if (commands.length > 0) for (const value of [...commands.flat(), 0]) writer.ue(value);
}

function readMarking(reader: BitReader): { operation: number; values: number[] }[] {
  const commands: { operation: number; values: number[] }[] = [];
  if (reader.bit() === 0) return commands;
  while (commands.length <= MAX_COMMANDS) {
    const operation = reader.ue(6);
    if (operation === 0) return commands;
    if (operation === 5) throw new UnsupportedSlice('Expected frame numbers that continue, got a reset.');
    commands.push({ operation, values: [reader.ue(), ...(operation === 3 ? [reader.ue()] : [])] });
  }
  throw new BrokenMedia(`Expected at most ${MAX_COMMANDS} reference marking commands in a slice header.`);
}

/** Copies cabac_init_idc to slice_group_change_cycle, the last field of the header. */
function copyQuantisation({ reader, writer, kind, picture }: Slice): void {
  const isSwitching = kind === 'SP' || kind === 'SI';
  if (picture.groupChangeRate !== null || isSwitching)
    throw new UnsupportedSlice(`Expected P, B or I slices without groups, got ${kind}.`);
  if (picture.isCabac && kind !== 'I') writer.ue(reader.ue(2));
  writer.se(reader.se());
  if (!picture.hasDeblockingControl) return;
  const mode = reader.ue(2);
  writer.ue(mode);
  if (mode !== 1) for (let index = 0; index < 2; index += 1) writer.se(reader.se());
}

/** Returns the written header and the slice data after it. CABAC data begins at a byte (section 7.3.4). */
function appendData({ reader, writer, picture }: Slice, nal: Buffer): Buffer {
  const bytes = removeEmulationPrevention(nal);
  const fromBit = 8 + reader.bitsRead();
  if (picture.isCabac) return Buffer.concat([writer.end(1), bytes.subarray(Math.ceil(fromBit / 8))]);
  for (let index = fromBit; index < bytes.length * 8; index += 1)
    writer.bit((bytes[index >> 3] ?? 0) >> (7 - (index & 7)));
  const moved = writer.end(0);
  let { length } = moved;
  while (length > 0 && moved[length - 1] === 0) length -= 1;
  return moved.subarray(0, length);
}

/** Returns the new number of a frame, or null if the GOP does not contain it. Numbers are relative to the keyframe. */
function renumber(number: number, { dropped }: ClosedGop): number | null {
  if (number === 0) return 0;
  return number > dropped ? number - dropped : null;
}

function wrap(number: number, { frameNumberBits }: H264SequenceSet): number {
  const range = 2 ** frameNumberBits;
  return ((number % range) + range) % range;
}

/** Returns the number of a frame that is decoded before `current`, for a number that may have wrapped. */
function unwrap(number: number, current: number, { frameNumberBits }: H264SequenceSet): number {
  const range = 2 ** frameNumberBits;
  if (number > current) return number - range;
  return number <= current - range ? number + range : number;
}

function copyBit({ reader, writer }: Slice): number {
  const bit = reader.bit();
  writer.bit(bit);
  return bit;
}
