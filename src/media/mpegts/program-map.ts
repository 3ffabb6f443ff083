/** Codec of an elementary stream in a program. Null if live streams do not support it. */
export type StreamCodec = 'h264' | 'hevc' | 'aac' | 'mp2' | 'ac3' | 'eac3' | 'opus';

/** `name` is a readable description of the stream's content. */
export type ElementaryStream = {
  pid: number;
  codec: StreamCodec | null;
  streamType: number;
  channels: number | null;
  name: string;
};

/** Codecs by stream type: ISO 13818-1 table 2-34, and ATSC A/53 for 0x81 and 0x87. */
const STREAM_TYPES: Readonly<Record<number, StreamCodec>> = {
  3: 'mp2',
  4: 'mp2',
  15: 'aac',
  27: 'h264',
  36: 'hevc',
  129: 'ac3',
  135: 'eac3',
};
/** Names of unsupported stream types: ISO 13818-1 table 2-34, ATSC and SMPTE registrations. */
const OTHER_NAMES: Readonly<Record<number, string>> = {
  1: 'MPEG-1 video',
  2: 'MPEG-2 video',
  16: 'MPEG-4 Part 2 video',
  17: 'AAC in LATM',
  21: 'timed metadata',
  33: 'JPEG 2000 video',
  51: 'VVC video',
  128: 'MPEG-2 video or PCM',
  130: 'DTS or captions',
  131: 'PCM or TrueHD',
  134: 'SCTE-35 cues',
  234: 'VC-1 video',
};
const CODEC_NAMES: Readonly<Record<StreamCodec, string>> = {
  h264: 'H.264',
  hevc: 'HEVC',
  aac: 'AAC',
  mp2: 'MPEG audio',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  opus: 'Opus',
};
/** Names of private data identified by a descriptor or a registration. */
const PRIVATE_TAGS: Readonly<Record<number, string>> = { 86: 'teletext', 89: 'DVB subtitles', 123: 'DTS' };
const PRIVATE_FORMATS: Readonly<Record<string, string>> = {
  BSSD: 'PCM (SMPTE 302M)',
  KLVA: 'KLV metadata',
  AV01: 'AV1 video',
  VP09: 'VP9 video',
};
const PRIVATE_DATA = 6;
/** Codecs by the format name in a registration descriptor. */
const FORMATS: Readonly<Record<string, StreamCodec>> = { 'AC-3': 'ac3', EAC3: 'eac3', Opus: 'opus', HEVC: 'hevc' };
const DESCRIPTOR = { registration: 0x05, ac3: 0x6a, eac3: 0x7a, extension: 0x7f };
const OPUS_EXTENSION = 0x80;

const TABLE = { programs: 0, map: 2 };
const HEAD_BYTES = 8;
const CRC_BYTES = 4;

/**
 * Returns the PIDs of the program maps in a program association section (ISO 13818-1 section 2.4.4.3). Returns null for
 * a section of another kind and for a damaged one.
 */
export function readProgramPids(section: Buffer): number[] | null {
  const body = readBody(section, TABLE.programs);
  if (body === null) return null;
  const pids: number[] = [];
  for (let at = 0; at + 4 <= body.length; at += 4) {
    // Program 0 refers to the network information table.
    if (body.readUInt16BE(at) !== 0) pids.push(body.readUInt16BE(at + 2) & 0x1fff);
  }
  return pids;
}

/**
 * Returns the streams of a program map section (ISO 13818-1 section 2.4.4.8). Returns null for another or a damaged
 * section.
 */
export function readElementaryStreams(section: Buffer): ElementaryStream[] | null {
  const body = readBody(section, TABLE.map);
  if (body === null || body.length < 4) return null;
  const streams: ElementaryStream[] = [];
  let at = 4 + (body.readUInt16BE(2) & 0x0fff);
  while (at + 5 <= body.length) {
    const streamType = body.readUInt8(at);
    const pid = body.readUInt16BE(at + 1) & 0x1fff;
    const end = at + 5 + (body.readUInt16BE(at + 3) & 0x0fff);
    if (end > body.length) return null;
    streams.push({ pid, streamType, ...codecOf(streamType, body.subarray(at + 5, end)) });
    at = end;
  }
  return streams;
}

function codecOf(streamType: number, descriptors: Buffer): Pick<ElementaryStream, 'codec' | 'channels' | 'name'> {
  let name: string | null = OTHER_NAMES[streamType] ?? null;
  let codec = STREAM_TYPES[streamType] ?? null;
  let channels: number | null = null;
  for (let at = 0; at + 2 <= descriptors.length; at += 2 + descriptors.readUInt8(at + 1)) {
    const tag = descriptors.readUInt8(at);
    const data = descriptors.subarray(at + 2, at + 2 + descriptors.readUInt8(at + 1));
    if (tag === DESCRIPTOR.extension && data[0] === OPUS_EXTENSION) channels = data[1] ?? null;
    if (streamType !== PRIVATE_DATA) continue;
    if (tag === DESCRIPTOR.registration) codec ??= FORMATS[data.toString('latin1', 0, 4)] ?? null;
    if (tag === DESCRIPTOR.ac3) codec = 'ac3';
    if (tag === DESCRIPTOR.eac3) codec = 'eac3';
    const format = tag === DESCRIPTOR.registration ? PRIVATE_FORMATS[data.toString('latin1', 0, 4)] : undefined;
    name ??= format ?? PRIVATE_TAGS[tag] ?? null;
  }
  if (codec !== null) name = CODEC_NAMES[codec];
  return { codec, channels, name: name ?? `a stream of type 0x${streamType.toString(16)}` };
}

/**
 * Returns the bytes between the header and the checksum of a section, or null if the section is damaged, belongs to
 * another table, or is not currently applicable.
 */
function readBody(section: Buffer, table: number): Buffer | null {
  if (section.length < HEAD_BYTES + CRC_BYTES || section.readUInt8(0) !== table) return null;
  const isCurrent = (section.readUInt8(5) & 1) === 1;
  if (!isCurrent || crc32(section) !== 0) return null;
  return section.subarray(HEAD_BYTES, section.length - CRC_BYTES);
}

/** Computes the CRC of ISO 13818-1 annex A. The CRC of a complete, undamaged section is 0. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}
