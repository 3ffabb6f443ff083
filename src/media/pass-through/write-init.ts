import { presentationDelayTicks } from '../cmaf/presentation-delay.ts';
import type { VideoFacts } from '../probe/source-facts.ts';
import { tagColours } from './colours.ts';
import type { Mp4Index } from './mp4-index.ts';
import type { PassThroughPlan } from './plan-pass-through.ts';

const TRACK_ID = 1;
const UNDETERMINED_LANGUAGE = 0x55c4;
const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const ENABLED_IN_MOVIE = 3;

/**
 * Makes the init segment of a pass-through (ISO 14496-12 section 8.2, CMAF header of ISO 23000-19): one track
 * with id 1, the source's decoder configuration, the edit list of the presentation delay, no samples, durations of 0.
 * A source that does not name its colours gets those that its encoded rungs are made with: `colorMatrix`.
 */
export function buildInit(index: Mp4Index, plan: PassThroughPlan, colorMatrix: VideoFacts['colorMatrix']): Buffer {
  const ftyp = box('ftyp', text('iso6'), u32(1), text('iso6cmfcmp41'));
  const mvex = box('mvex', fullBox('trex', 0, u32(TRACK_ID, 1, 0, 0, 0)));
  return Buffer.concat([ftyp, box('moov', movieHeader(plan.cutList.timescale), track(index, plan, colorMatrix), mvex)]);
}

function movieHeader(timescale: number): Buffer {
  return fullBox('mvhd', 0, u32(0, 0, timescale, 0, 0x10000), u16(0x100, 0), u32(0, 0), MATRIX, zeros(24), u32(2));
}

function track(index: Mp4Index, plan: PassThroughPlan, colorMatrix: VideoFacts['colorMatrix']): Buffer {
  const { width, height } = index.displaySize;
  const tkhd = fullBox('tkhd', ENABLED_IN_MOVIE, u32(0, 0, TRACK_ID, 0, 0), zeros(16), MATRIX, u32(width, height));
  const mdhd = fullBox('mdhd', 0, u32(0, 0, plan.cutList.timescale, 0), u16(UNDETERMINED_LANGUAGE, 0));
  const hdlr = fullBox('hdlr', 0, u32(0), text('vide'), zeros(12), text('video\0'));
  const dinf = box('dinf', fullBox('dref', 0, u32(1), fullBox('url ', 1)));
  const minf = box('minf', fullBox('vmhd', 1, zeros(8)), dinf, sampleTable(index, colorMatrix));
  const edit = fullBox('elst', 0, u32(1, 0, presentationDelayTicks(plan.cutList.timescale)), u16(1, 0));
  return box('trak', tkhd, box('edts', edit), box('mdia', mdhd, hdlr, minf));
}

function sampleTable(index: Mp4Index, colorMatrix: VideoFacts['colorMatrix']): Buffer {
  const stsd = fullBox('stsd', 0, u32(1), sampleEntry(index, colorMatrix));
  const empty = [fullBox('stts', 0, u32(0)), fullBox('stsc', 0, u32(0)), fullBox('stsz', 0, u32(0, 0))];
  return box('stbl', stsd, ...empty, fullBox('stco', 0, u32(0)));
}

// Made anew instead of copied whole: QuickTime entries end in zeros and carry boxes at which browsers stop.
function sampleEntry({ description }: Mp4Index, colorMatrix: VideoFacts['colorMatrix']): Buffer {
  const { widthPx, heightPx, pixelAspect } = description;
  const { configuration, colour } = tagColours(description, colorMatrix);
  const fields = [zeros(6), u16(1), zeros(16), u16(widthPx, heightPx), u32(0x480000, 0x480000, 0), u16(1), zeros(32)];
  const inside = [box('avcC', configuration), box('colr', colour)];
  if (pixelAspect !== null) inside.push(box('pasp', u32(pixelAspect.horizontal, pixelAspect.vertical)));
  return box('avc1', ...fields, u16(24, 0xffff), ...inside);
}

function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const sizeBytes = parts.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(sizeBytes), text(type), ...parts], sizeBytes);
}

function fullBox(type: string, flags: number, ...parts: readonly Uint8Array[]): Buffer {
  return box(type, u32(flags), ...parts);
}

function u32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}

function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value, at * 2);
  return bytes;
}

function text(value: string): Buffer {
  return Buffer.from(value, 'latin1');
}

function zeros(count: number): Buffer {
  return Buffer.alloc(count);
}
