import { writeBox, writeFullBox, writeU16, writeU32 } from '../bmff/boxes.ts';
import { visualEntry } from '../bmff/sample-entry.ts';
import { presentationDelayTicks } from '../cmaf/presentation-delay.ts';
import type { Colours } from '../probe/colours.ts';
import { tagColours } from './colours.ts';
import type { Mp4Index } from './mp4-index.ts';
import type { PassThroughPlan } from './plan-pass-through.ts';

const TRACK_ID = 1;
const UNDETERMINED_LANGUAGE = 0x55c4;
const MATRIX = writeU32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const ENABLED_IN_MOVIE = 3;

/**
 * Creates the init segment of a pass-through (ISO 14496-12 section 8.2, CMAF header of ISO 23000-19): one track with id
 * 1, the source's decoder configuration, the edit list of the presentation delay, no samples, and durations of 0. A
 * source without colour tags gets the colours of its encoded rungs.
 */
export function buildInit(index: Mp4Index, plan: PassThroughPlan, colours: Colours): Buffer {
  const ftyp = writeBox('ftyp', text('iso6'), writeU32(1), text('iso6cmfcmp41'));
  const mvex = writeBox('mvex', fullBox('trex', 0, writeU32(TRACK_ID, 1, 0, 0, 0)));
  return Buffer.concat([
    ftyp,
    writeBox('moov', movieHeader(plan.cutList.timescale), track(index, plan, colours), mvex),
  ]);
}

function movieHeader(timescale: number): Buffer {
  return fullBox(
    'mvhd',
    0,
    writeU32(0, 0, timescale, 0, 0x10000),
    writeU16(0x100, 0),
    writeU32(0, 0),
    MATRIX,
    Buffer.alloc(24),
    writeU32(2),
  );
}

function track(index: Mp4Index, plan: PassThroughPlan, colours: Colours): Buffer {
  const { width, height } = index.displaySize;
  const tkhd = fullBox(
    'tkhd',
    ENABLED_IN_MOVIE,
    writeU32(0, 0, TRACK_ID, 0, 0),
    Buffer.alloc(16),
    MATRIX,
    writeU32(width, height),
  );
  const mdhd = fullBox('mdhd', 0, writeU32(0, 0, plan.cutList.timescale, 0), writeU16(UNDETERMINED_LANGUAGE, 0));
  const hdlr = fullBox('hdlr', 0, writeU32(0), text('vide'), Buffer.alloc(12), text('video\0'));
  const dinf = writeBox('dinf', fullBox('dref', 0, writeU32(1), fullBox('url ', 1)));
  const minf = writeBox('minf', fullBox('vmhd', 1, Buffer.alloc(8)), dinf, sampleTable(index, colours));
  const edit = fullBox('elst', 0, writeU32(1, 0, presentationDelayTicks(plan.cutList.timescale)), writeU16(1, 0));
  return writeBox('trak', tkhd, writeBox('edts', edit), writeBox('mdia', mdhd, hdlr, minf));
}

function sampleTable(index: Mp4Index, colours: Colours): Buffer {
  const stsd = fullBox('stsd', 0, writeU32(1), sampleEntry(index, colours));
  const empty = [fullBox('stts', 0, writeU32(0)), fullBox('stsc', 0, writeU32(0)), fullBox('stsz', 0, writeU32(0, 0))];
  return writeBox('stbl', stsd, ...empty, fullBox('stco', 0, writeU32(0)));
}

// Rebuilds the entry instead of copying it, because QuickTime entries end in zeros and contain boxes that make browsers
// fail.
function sampleEntry({ description }: Mp4Index, colours: Colours): Buffer {
  const { pixelAspect } = description;
  const { configuration, colour } = tagColours(description, colours);
  const inside = [writeBox('avcC', configuration), writeBox('colr', colour)];
  if (pixelAspect !== null) inside.push(writeBox('pasp', writeU32(pixelAspect.horizontal, pixelAspect.vertical)));
  return visualEntry('avc1', description, ...inside);
}

function fullBox(type: string, flags: number, ...parts: readonly Uint8Array[]): Buffer {
  return writeFullBox(type, 0, flags, ...parts);
}

function text(value: string): Buffer {
  return Buffer.from(value, 'latin1');
}
