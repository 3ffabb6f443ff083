import {
  type Box,
  childBoxes,
  findBox,
  readBoxes,
  readFields,
  readVersion,
  requireBox,
  writeBox,
  writeFullBox,
  writeU16,
  writeU32,
} from '../bmff/boxes.ts';
import { BrokenMedia } from '../bmff/broken-media.ts';
import { type Colours, HLG, PQ } from '../probe/colours.ts';
import { readAacChannels, readCodecString } from './codec-string.ts';
import type { SampleDefaults } from './fragment.ts';
import { presentationDelayTicks } from './presentation-delay.ts';
import { readEntryColours, readSampleEntry, writeStableEntry } from './sample-entry.ts';

/** VIDEO-RANGE (RFC 8216bis): the transfer function of the video. */
export type VideoRange = 'SDR' | 'PQ' | 'HLG';

/**
 * Properties of the single track of an init segment. Channels and sample rate are null for video. The size is null for
 * audio.
 */
export type InitFacts = {
  trackId: number;
  /** Ticks per second of all times in the fragments. */
  timescale: number;
  /**
   * Ticks that the edit list subtracts from all presentation times: media_time of its only entry, or 0 without an
   * entry.
   */
  delayTicks: number;
  /** RFC 6381 string, as in a playlist's CODECS. */
  codecString: string;
  /** Default values of samples in fragments (trex). */
  sampleDefaults: SampleDefaults;
} & (
  | {
      handler: 'video';
      widthPx: number;
      heightPx: number;
      videoRange: VideoRange;
      /** Colours in `colr`, or null without that box. */
      colours: Colours | null;
      channels: null;
      sampleRateHz: null;
    }
  | {
      handler: 'audio';
      widthPx: null;
      heightPx: null;
      videoRange: null;
      colours: null;
      channels: number;
      sampleRateHz: number;
    }
);

/**
 * Contents of an init segment. `sampleEntry` is the whole entry box. `geometry` is the matrix, width and height of
 * tkhd.
 */
export type InitFields = {
  timescale: number;
  handler: 'video' | 'audio';
  /** Packed ISO 639-2 code of mdhd. */
  language: number;
  geometry: Buffer;
  sampleEntry: Buffer;
  /** Presentation delay of the fragments. Default: the usual one. With a delay of 0, there is no edit list. */
  delayTicks?: number;
};

/** Track id of every init segment and fragment that this project writes. */
export const TRACK_ID = 1;

const GEOMETRY_BYTES = 44;
const HANDLERS: Record<string, 'video' | 'audio'> = { vide: 'video', soun: 'audio' };

/**
 * Reads an init segment (ftyp and moov, ISO 14496-12 section 8.2). Throws BrokenMedia if it is damaged, does not have
 * exactly one track, or has an unknown codec.
 */
export function readInitSegment(bytes: Buffer): InitFacts {
  const track = openTrack(bytes);
  const entry = readSampleEntry(track.stsd, track.handler);
  const fixed = entry.fixed;
  const common = {
    trackId: track.trackId,
    timescale: track.timescale,
    delayTicks: track.delayTicks,
    codecString: readCodecString(entry),
    sampleDefaults: track.sampleDefaults,
  };
  if (track.handler === 'video') {
    const colours = readEntryColours(entry);
    const shown = { videoRange: rangeOf(colours), colours };
    const size = { widthPx: fixed.readUInt16BE(24), heightPx: fixed.readUInt16BE(26) };
    return { ...common, handler: 'video', ...size, ...shown, channels: null, sampleRateHz: null };
  }
  // The rate is 16.16 fixed point, so rates above 65535 Hz do not fit. The timescale equals the rate in that case.
  const sampleRateHz = fixed.readUInt16BE(24) || track.timescale;
  const channels = readAacChannels(entry) ?? fixed.readUInt16BE(16);
  return {
    ...common,
    handler: 'audio',
    widthPx: null,
    heightPx: null,
    videoRange: null,
    colours: null,
    channels,
    sampleRateHz,
  };
}

/** Changes made to a normalised sample entry. */
type EntryChange = { boxes?: readonly Buffer[]; givenEntry?: Buffer };

/**
 * Rewrites an init segment so that all encoder runs of one rendition have the same bytes: track id 1, zero durations
 * and dates, no rotation, the standard edit list of this project, and no user data, bit rates or encoder name. The
 * codec configuration is unchanged, so a run with other settings still differs. `boxes` are added to the sample entry.
 * `givenEntry` replaces it.
 */
export function normaliseInit(bytes: Buffer, { boxes = [], givenEntry }: EntryChange = {}): Buffer {
  const { handler, timescale, language, geometry, stsd } = openTrack(bytes);
  const sampleEntry = givenEntry ?? writeStableEntry(readSampleEntry(stsd, handler), handler, boxes);
  return writeInitSegment({ timescale, handler, language, geometry: upright(geometry), sampleEntry });
}

/**
 * Removes the rotation. The encoder's input is already upright, but ffmpeg still copies the source's rotation to its
 * output.
 */
function upright(geometry: Buffer): Buffer {
  const matrix = writeU32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
  return Buffer.concat([matrix, geometry.subarray(matrix.length)]);
}

/**
 * Creates the init segment of a fragmented track: ftyp, and a moov without samples or duration. Its edit list subtracts
 * the presentation delay of the fragments.
 */
export function writeInitSegment(init: InitFields): Buffer {
  const isVideo = init.handler === 'video';
  const brands = Buffer.from('iso6\0\0\0\0iso6cmfcmp41', 'latin1');
  const mediaHeader = isVideo
    ? writeFullBox('vmhd', 0, 1, Buffer.alloc(8))
    : writeFullBox('smhd', 0, 0, Buffer.alloc(4));
  const dataReference = writeFullBox('dref', 0, 0, writeU32(1), writeFullBox('url ', 0, 1));
  const sampleTable = writeBox(
    'stbl',
    writeFullBox('stsd', 0, 0, writeU32(1), init.sampleEntry),
    writeFullBox('stts', 0, 0, writeU32(0)),
    writeFullBox('stsc', 0, 0, writeU32(0)),
    writeFullBox('stsz', 0, 0, writeU32(0, 0)),
    writeFullBox('stco', 0, 0, writeU32(0)),
  );
  const media = writeBox(
    'mdia',
    writeFullBox('mdhd', 0, 0, writeU32(0, 0, init.timescale, 0), writeU16(init.language, 0)),
    writeFullBox('hdlr', 0, 0, writeU32(0), Buffer.from(isVideo ? 'vide' : 'soun'), Buffer.alloc(13)),
    writeBox('minf', mediaHeader, writeBox('dinf', dataReference), sampleTable),
  );
  return Buffer.concat([
    writeBox('ftyp', brands),
    writeBox(
      'moov',
      movieHeader(),
      writeBox('trak', trackHeader(init), delayEdit(init), media),
      writeBox('mvex', writeFullBox('trex', 0, 0, writeU32(TRACK_ID, 1, 0, 0, 0))),
    ),
  ]);
}

type OpenTrack = {
  trackId: number;
  timescale: number;
  handler: 'video' | 'audio';
  language: number;
  geometry: Buffer;
  delayTicks: number;
  stsd: Box;
  sampleDefaults: SampleDefaults;
};

function rangeOf(colours: Colours | null): VideoRange {
  return colours?.transfer === PQ ? 'PQ' : colours?.transfer === HLG ? 'HLG' : 'SDR';
}

function openTrack(bytes: Buffer): OpenTrack {
  const moov = requireBox(readBoxes(bytes), 'moov');
  const boxes = childBoxes(moov);
  const tracks = boxes.filter((box) => box.type === 'trak');
  const [trak] = tracks;
  if (trak === undefined || tracks.length !== 1) {
    throw new BrokenMedia(`Expected one track in the init segment, got ${tracks.length}.`);
  }
  const inTrak = childBoxes(trak);
  return {
    ...readTrackHeader(requireBox(inTrak, 'tkhd')),
    ...readMediaHeader(requireBox(inTrak, 'mdia', 'mdhd')),
    handler: readHandler(requireBox(inTrak, 'mdia', 'hdlr')),
    delayTicks: readDelay(findBox(inTrak, 'edts', 'elst')),
    stsd: requireBox(inTrak, 'mdia', 'minf', 'stbl', 'stsd'),
    sampleDefaults: readSampleDefaults(findBox(boxes, 'mvex', 'trex')),
  };
}

function readTrackHeader(tkhd: Box): { trackId: number; geometry: Buffer } {
  const fields = readFields(tkhd);
  const wide = readVersion(fields).version === 1;
  fields.skip(wide ? 16 : 8);
  const trackId = fields.u32();
  fields.skip(4 + (wide ? 8 : 4) + 16);
  return { trackId, geometry: fields.take(GEOMETRY_BYTES) };
}

/**
 * Returns the presentation delay, which only files written by this project have, as a single edit. Returns 0 for an
 * empty edit (media_time -1) or several edits, which mean something else.
 */
function readDelay(elst: Box | null): number {
  if (elst === null) return 0;
  const fields = readFields(elst);
  const isWide = readVersion(fields).version === 1;
  if (fields.u32() !== 1) return 0;
  fields.skip(isWide ? 8 : 4);
  return Math.max(0, isWide ? fields.u64() : fields.i32());
}

function readMediaHeader(mdhd: Box): { timescale: number; language: number } {
  const fields = readFields(mdhd);
  const wide = readVersion(fields).version === 1;
  fields.skip(wide ? 16 : 8);
  const timescale = fields.u32();
  if (timescale === 0) throw new BrokenMedia('Expected a timescale above 0 in mdhd, got 0.');
  fields.skip(wide ? 8 : 4);
  return { timescale, language: fields.u16() };
}

function readHandler(hdlr: Box): 'video' | 'audio' {
  const fields = readFields(hdlr);
  fields.skip(8);
  const type = fields.take(4).toString('latin1');
  const handler = HANDLERS[type];
  if (handler === undefined) throw new BrokenMedia(`Expected a video or audio track, got handler ${type}.`);
  return handler;
}

function readSampleDefaults(trex: Box | null): SampleDefaults {
  if (trex === null) return { durationTicks: 0, sizeBytes: 0, flags: 0 };
  const fields = readFields(trex);
  fields.skip(12);
  return { durationTicks: fields.u32(), sizeBytes: fields.u32(), flags: fields.u32() };
}

/**
 * Creates an open-ended edit (segment_duration 0, because fragments follow) that starts after the presentation delay.
 */
function delayEdit({ timescale, delayTicks = presentationDelayTicks(timescale) }: InitFields): Buffer {
  if (delayTicks === 0) return Buffer.alloc(0);
  const entry = Buffer.concat([writeU32(0, delayTicks), writeU16(1, 0)]);
  return writeBox('edts', writeFullBox('elst', 0, 0, writeU32(1), entry));
}

/** Creates mvhd: timescale 1000, rate 1.0, volume 1.0, ten reserved bytes, unity matrix, next track id. */
function movieHeader(): Buffer {
  const rateAndVolume = Buffer.concat([writeU32(0x10000), writeU16(0x100), Buffer.alloc(10)]);
  const matrix = writeU32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
  return writeFullBox(
    'mvhd',
    0,
    0,
    writeU32(0, 0, 1000, 0),
    rateAndVolume,
    matrix,
    Buffer.alloc(24),
    writeU32(TRACK_ID + 1),
  );
}

/** Creates tkhd: enabled and in movie (flags 3), zero dates and duration. */
function trackHeader(init: InitFields): Buffer {
  if (init.geometry.length !== GEOMETRY_BYTES) {
    throw new Error(`Expected a geometry of ${GEOMETRY_BYTES} bytes, got ${init.geometry.length}.`);
  }
  const layerAndVolume = writeU16(0, 0, init.handler === 'audio' ? 0x100 : 0, 0);
  return writeFullBox('tkhd', 0, 3, writeU32(0, 0, TRACK_ID, 0, 0), Buffer.alloc(8), layerAndVolume, init.geometry);
}
