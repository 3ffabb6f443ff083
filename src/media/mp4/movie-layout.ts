import {
  needsU64,
  openBox,
  openWideBox,
  toU64Words,
  writeBox,
  writeFullBox,
  writeU16,
  writeU32,
} from '../bmff/boxes.ts';
import type { TrackCounters } from './count-indexes.ts';
import type { TrackTemplate } from './track-template.ts';

/** A track of the file without its samples. */
export type MovieTrack = { template: TrackTemplate; counters: TrackCounters };

/** Small boxes of the file, and the final size of the header. Sample tables follow each track opening. */
export type MovieLayout = {
  headBytes: number;
  sizeBytes: number;
  /** ftyp, the header of the moov box, and mvhd. */
  opening: Buffer;
  /** The trak box of each track up to and including stsd. The sample tables follow. */
  trackOpenings: Buffer[];
  mdatHeader: Buffer;
};

const MAX_MEDIA_TIME = 2 ** 31 - 1;
const UNITY_MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
/** Major brand, minor version and compatible brands of a plain MP4 without fragments. */
const BRANDS = 'isom\0\0\x02\0isomiso2mp41mp42';

/**
 * Lays out ftyp, moov and the mdat header (ISO 14496-12 section 8). Sizes depend only on templates and counters, never
 * on `mediaTimesTicks`, which has one entry per track. The movie has the timescale of the first track. Durations of
 * other tracks are rounded up to this timescale. The mdhd boxes have exact durations.
 */
export function layMovie(tracks: readonly MovieTrack[], mediaTimesTicks: readonly number[]): MovieLayout {
  const timescale = tracks[0]?.template.timescale ?? 0;
  const spans = placeTracks(tracks, timescale);
  const trackOpenings = tracks.map((track, number) => {
    const span = spans[number] ?? { delayTicks: 0, durationTicks: 0 };
    return writeTrackOpening(track, { ...span, trackId: number + 1, mediaTimeTicks: mediaTimesTicks[number] ?? 0 });
  });
  const tables = tracks.reduce((sum, track) => sum + tableBytes(track.counters), 0);
  const trackBytes = trackOpenings.reduce((sum, opening) => sum + opening.length, tables);
  const endTicks = Math.max(...spans.map((span) => span.delayTicks + span.durationTicks));
  const mvhd = writeMovieHeader(timescale, endTicks, tracks.length + 1);
  const ftyp = writeBox('ftyp', Buffer.from(BRANDS, 'latin1'));
  const opening = Buffer.concat([ftyp, openBox('moov', trackBytes, mvhd)]);
  const payloadBytes = tracks.reduce((sum, track) => sum + track.counters.payloadBytes, 0);
  const mdatHeader = openWideBox('mdat', payloadBytes);
  const headBytes = opening.length + trackBytes + mdatHeader.length;
  return { headBytes, sizeBytes: headBytes + payloadBytes, opening, trackOpenings, mdatHeader };
}

/** Returns the total size of stts, stss, ctts, stsc, stsz and co64, in bytes. */
function tableBytes(counters: TrackCounters): number {
  const { samples, fragments } = counters;
  const syncTable = hasSyncTable(counters) ? 16 + 4 * counters.syncCount : 0;
  const offsetTable = counters.offsetRuns > 0 ? 16 + 8 * counters.offsetRuns : 0;
  const timeTables = 16 + 8 * counters.durationRuns + syncTable + offsetTable;
  return timeTables + 16 + 12 * fragments + 20 + 4 * samples + 16 + 8 * fragments;
}

/**
 * Whether the track lists its sync samples. Without the list, all samples are sync samples (ISO 14496-12 section
 * 8.6.2).
 */
export function hasSyncTable(counters: TrackCounters): boolean {
  return counters.syncCount < counters.samples;
}

type Span = { delayTicks: number; durationTicks: number };

/** Places the earliest track at 0 and keeps the offsets of the other tracks, in ticks of the movie timescale. */
function placeTracks(tracks: readonly MovieTrack[], movieTimescale: number): Span[] {
  const toMovie = (ticks: number, timescale: number) =>
    timescale === movieTimescale ? ticks : (ticks / timescale) * movieTimescale;
  const starts = tracks.map(({ template, counters }) => toMovie(counters.startTick, template.timescale));
  const earliest = Math.min(...starts);
  return tracks.map(({ template, counters }, number) => ({
    delayTicks: Math.round((starts[number] ?? earliest) - earliest),
    durationTicks: Math.ceil(toMovie(counters.durationTicks, template.timescale)),
  }));
}

function writeMovieHeader(timescale: number, durationTicks: number, nextTrackId: number): Buffer {
  const isWide = needsU64(durationTicks);
  const rateAndVolume = Buffer.concat([writeU32(0x10000), writeU16(0x100), Buffer.alloc(10)]);
  return writeFullBox(
    'mvhd',
    isWide ? 1 : 0,
    0,
    writeTimes(isWide, [timescale], durationTicks),
    rateAndVolume,
    writeU32(...UNITY_MATRIX),
    Buffer.alloc(24),
    writeU32(nextTrackId),
  );
}

type TrackPlace = Span & { trackId: number; mediaTimeTicks: number };

function writeTrackOpening({ template, counters }: MovieTrack, place: TrackPlace): Buffer {
  const isVideo = template.handler === 'video';
  const tables = tableBytes(counters);
  const mediaHeader = isVideo
    ? writeFullBox('vmhd', 0, 1, Buffer.alloc(8))
    : writeFullBox('smhd', 0, 0, Buffer.alloc(4));
  const dinf = writeBox('dinf', writeFullBox('dref', 0, 0, writeU32(1), writeFullBox('url ', 0, 1)));
  const minf = openBox('minf', tables, mediaHeader, dinf, openBox('stbl', tables, template.stsd));
  const isWide = needsU64(counters.durationTicks);
  const mdhd = writeFullBox(
    'mdhd',
    isWide ? 1 : 0,
    0,
    writeTimes(isWide, [template.timescale], counters.durationTicks),
    writeU16(template.language, 0),
  );
  const name = isVideo ? 'VideoHandler\0' : 'SoundHandler\0';
  const hdlr = writeFullBox(
    'hdlr',
    0,
    0,
    writeU32(0),
    Buffer.from(isVideo ? 'vide' : 'soun'),
    Buffer.alloc(12),
    Buffer.from(name),
  );
  const mdia = openBox('mdia', tables, mdhd, hdlr, minf);
  return openBox('trak', tables, writeTrackHeader(template, place), writeEdits(counters, place), mdia);
}

/** Writes tkhd: enabled and in movie (flags 3). */
function writeTrackHeader(template: TrackTemplate, place: TrackPlace): Buffer {
  const durationTicks = place.delayTicks + place.durationTicks;
  const isWide = needsU64(durationTicks);
  const layerAndVolume = writeU16(0, 0, template.handler === 'audio' ? 0x100 : 0, 0);
  const times = writeTimes(isWide, [place.trackId, 0], durationTicks);
  return writeFullBox('tkhd', isWide ? 1 : 0, 3, times, Buffer.alloc(8), layerAndVolume, template.geometry);
}

/**
 * Writes an edit list (ISO 14496-12 section 8.6.6) only for a track with composition offsets, whose first frame is at
 * the shift, and for a track that starts late. Writes none otherwise, because some players ignore edits.
 */
function writeEdits(counters: TrackCounters, place: TrackPlace): Buffer {
  if (counters.offsetRuns === 0 && place.delayTicks === 0) return Buffer.alloc(0);
  if (place.mediaTimeTicks > MAX_MEDIA_TIME) {
    throw new Error(`Expected the first frame at a media time below 2^31 ticks, got ${place.mediaTimeTicks}.`);
  }
  const isWide = needsU64(Math.max(place.delayTicks, place.durationTicks));
  const entry = (durationTicks: number, mediaTime: number): Buffer => {
    const bytes = Buffer.alloc(isWide ? 20 : 12);
    const at = isWide ? bytes.writeBigUInt64BE(BigInt(durationTicks)) : bytes.writeUInt32BE(durationTicks);
    if (isWide) bytes.writeBigInt64BE(BigInt(mediaTime), at);
    else bytes.writeInt32BE(mediaTime, at);
    bytes.writeUInt16BE(1, bytes.length - 4);
    return bytes;
  };
  const entries = [entry(place.durationTicks, place.mediaTimeTicks)];
  if (place.delayTicks > 0) entries.unshift(entry(place.delayTicks, -1));
  return writeBox('edts', writeFullBox('elst', isWide ? 1 : 0, 0, writeU32(entries.length), ...entries));
}

/**
 * Writes zero dates, the given fields and a duration. Dates and duration have 64 bits if `isWide`, and all other fields
 * have 32.
 */
function writeTimes(isWide: boolean, fields: readonly number[], durationTicks: number): Buffer {
  if (!isWide) return writeU32(0, 0, ...fields, durationTicks);
  return writeU32(0, 0, 0, 0, ...fields, ...toU64Words(durationTicks));
}
