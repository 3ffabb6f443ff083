import { type Box, childBoxes, type FieldReader, readFields, readVersion, writeBox } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { VISUAL_FIELDS_BYTES } from '../bmff/sample-entry.ts';
import type { Colours } from '../probe/colours.ts';

/** The only sample entry of a track (ISO 14496-12 section 8.5.2), parsed. */
export type SampleEntry = {
  /** Four-character code, such as `avc1` or `mp4a`. */
  type: string;
  /** Fixed fields before the inner boxes. */
  fixed: Buffer;
  /** Boxes of the codec (avcC, esds …) and general boxes (pasp, colr, btrt). */
  children: Box[];
};

const AUDIO_FIXED_BYTES = 28;
/** Additional fixed bytes of versions 0, 1 and 2 of QuickTime audio descriptions. */
const AUDIO_EXTRA_BYTES = [0, 16, 36];
const COMPRESSOR_NAME_AT = 42;
const COMPRESSOR_NAME_BYTES = 32;

/** Reads a track's stsd box. Throws BrokenMedia unless it has exactly one entry. */
export function readSampleEntry(stsd: Box, handler: 'video' | 'audio'): SampleEntry {
  const fields = readFields(stsd);
  readVersion(fields);
  const count = fields.u32();
  const [entry] = childBoxes(stsd, 8);
  if (entry === undefined || count !== 1) throw new BrokenMedia(`Expected one sample entry in stsd, got ${count}.`);
  const fixed = readFields(entry).take(fixedBytes(readFields(entry), handler));
  return { type: entry.type, fixed, children: childBoxes(entry, fixed.length) };
}

/** Opens one of the entry's inner boxes. Throws BrokenMedia if it is missing. */
export function readEntryBox(entry: SampleEntry, type: string): FieldReader {
  const box = entry.children.find((child) => child.type === type);
  if (box === undefined) throw new BrokenMedia(`Expected a box ${type} in sample entry ${entry.type}, found none.`);
  return readFields(box);
}

/** Reads the colours of a `colr` box of type nclx (ISO 14496-12 section 12.1.5). Returns null if there is none. */
export function readEntryColours(entry: SampleEntry): Colours | null {
  if (!entry.children.some(({ type }) => type === 'colr')) return null;
  const fields = readEntryBox(entry, 'colr');
  if (fields.take(4).toString('latin1') !== 'nclx') return null;
  const [primaries, transfer, matrix] = [fields.u16(), fields.u16(), fields.u16()];
  return { primaries, transfer, matrix, isFullRange: (fields.u8() & 0x80) !== 0 };
}

/**
 * Writes the entry with additional boxes, and without fields that may differ between equal encodes: bit rates (btrt)
 * and the compressor name.
 */
export function writeStableEntry(entry: SampleEntry, handler: 'video' | 'audio', boxes: readonly Buffer[]): Buffer {
  const fixed = Buffer.from(entry.fixed);
  if (handler === 'video') fixed.fill(0, COMPRESSOR_NAME_AT, COMPRESSOR_NAME_AT + COMPRESSOR_NAME_BYTES);
  const children = entry.children.filter((child) => child.type !== 'btrt');
  const kept = children.map((child) => child.bytes.subarray(child.start, child.end));
  return writeBox(entry.type, fixed, ...kept, ...boxes);
}

function fixedBytes(fields: FieldReader, handler: 'video' | 'audio'): number {
  if (handler === 'video') return VISUAL_FIELDS_BYTES;
  fields.skip(8);
  const version = fields.u16();
  const extraBytes = AUDIO_EXTRA_BYTES[version];
  if (extraBytes === undefined)
    throw new BrokenMedia(`Expected an audio description of version 0 to 2, got ${version}.`);
  return AUDIO_FIXED_BYTES + extraBytes;
}
