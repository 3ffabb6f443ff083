import { versionOf, viewOf } from '../bmff/box-tables.ts';
import { type Box, childBoxes, findBox, readBoxes, requireBox } from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { type Edits, readEditList } from './edit-list.ts';
import { Mp4Fault, type Mp4FaultKind, toRefusal } from './mp4-fault.ts';
import { type H264Description, isH264, readDescription } from './sample-description.ts';
import { expandSampleTables, type SampleTables } from './sample-tables.ts';

/**
 * The H.264 track of an MP4 or MOV file with all its samples. `trackPosition` is the number of the track from 0, as
 * ffmpeg numbers streams. Times are in ticks of `timescale`, and sizes in pixels or bytes.
 */
export type Mp4Index = SampleTables & {
  fileBytes: number;
  trackPosition: number;
  timescale: number;
  edits: Edits;
  description: H264Description;
  /** Presentation size exactly as in `tkhd`, 16.16 fixed point. */
  displaySize: { width: number; height: number };
  /** Whether the transformation matrix of `tkhd` is the identity. */
  isUpright: boolean;
};

/** `reason` is a stable, machine-readable code. `message` is human-readable. */
export type Mp4IndexAnswer =
  | { kind: 'index'; index: Mp4Index }
  | { kind: 'refused'; reason: Mp4FaultKind; message: string };

const UPRIGHT = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/**
 * Parses the index of a file from its `moov` box, including the box header (ISO 14496-12 section 8.2.1). Uses the first
 * H.264 video track. Checks every count against its box, and every sample against `fileBytes`, before allocating
 * memory, so that the only effect of a forged or damaged table is the result `refused`.
 */
export function parseMp4Index(moov: Buffer, fileBytes: number): Mp4IndexAnswer {
  try {
    return { kind: 'index', index: readIndex(moov, fileBytes) };
  } catch (error) {
    const refused = toRefusal(error);
    if (refused === null) throw error;
    return refused;
  }
}

function readIndex(bytes: Buffer, fileBytes: number): Mp4Index {
  const moov = readBoxes(bytes, { isLenient: true })[0];
  if (moov?.type !== 'moov') throw new Mp4Fault('no-moov', 'Expected the bytes of a moov box.');
  if (findBox(moov, 'mvex') !== null) throw new Mp4Fault('fragmented', 'The file is a fragmented MP4.');
  const { trak, trackPosition } = findTrack(moov);
  const mdia = requireBox(trak, 'mdia');
  const minf = requireBox(mdia, 'minf');
  const movieTimescale = readTimescale(requireBox(moov, 'mvhd'));
  const timescale = readTimescale(requireBox(mdia, 'mdhd'));
  const tkhd = requireBox(trak, 'tkhd');
  const matrixAt = versionOf(tkhd) === 1 ? 52 : 40;
  const shape = viewOf(tkhd, matrixAt, 44);
  return {
    fileBytes,
    trackPosition,
    timescale,
    description: readDescription(minf),
    edits: readEditList(trak, { movieTimescale, timescale }),
    displaySize: { width: shape.getUint32(36), height: shape.getUint32(40) },
    isUpright: UPRIGHT.every((value, cell) => shape.getUint32(cell * 4) === value),
    ...expandSampleTables(requireBox(minf, 'stbl'), fileBytes),
  };
}

function findTrack(moov: Box): { trak: Box; trackPosition: number } {
  const traks = childBoxes(moov).filter((box) => box.type === 'trak');
  const trackPosition = traks.findIndex(isH264Track);
  const trak = traks[trackPosition];
  if (trak === undefined) throw new Mp4Fault('no-h264-track', `None of ${traks.length} tracks is H.264 video.`);
  return { trak, trackPosition };
}

function isH264Track(trak: Box): boolean {
  const hdlr = findBox(trak, 'mdia', 'hdlr');
  const stsd = findBox(trak, 'mdia', 'minf', 'stbl', 'stsd');
  if (hdlr === null || stsd === null) return false;
  const isVideo = viewOf(hdlr, 8, 4).getUint32(0) === Buffer.from('vide').readUInt32BE();
  return isVideo && isH264(stsd);
}

/** Reads the timescale of `mvhd` or `mdhd`, which begin with the same fields. */
function readTimescale(header: Box): number {
  const timescale = viewOf(header, versionOf(header) === 1 ? 20 : 12, 4).getUint32(0);
  if (timescale === 0) throw new BrokenMedia(`Expected a timescale in ${header.type}, got 0.`);
  return timescale;
}
