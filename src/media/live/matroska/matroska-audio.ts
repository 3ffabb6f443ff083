import type { ForeignAudio } from '../tracks/foreign-audio.ts';

const CODEC_IDS = { mp2: 'A_MPEG/L2', ac3: 'A_AC3', eac3: 'A_EAC3', opus: 'A_OPUS' } as const;

/** Element ids of RFC 8794 and RFC 9559. */
const ID = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
};
const UNKNOWN_SIZE = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
const AUDIO = 2;
const NANOSECONDS_PER_MS = 1_000_000;
const OPUS_RATE_HZ = 48_000;
const KEY_FRAME = 0x80;

/** Vorbis channel order (RFC 7845 section 5.1.1.2): streams, coupled streams, and the position of each channel. */
const OPUS_MAPPINGS: Readonly<Record<number, readonly number[]>> = {
  3: [2, 1, 0, 2, 1],
  4: [2, 2, 0, 1, 2, 3],
  5: [3, 2, 0, 4, 1, 2, 3],
  6: [4, 2, 0, 4, 1, 2, 3, 5],
  7: [4, 3, 0, 4, 1, 2, 3, 5, 6],
  8: [5, 3, 0, 6, 1, 2, 3, 4, 5, 7],
};

/** Writes the header of a Matroska stream with one audio track. Its blocks are written one by one (RFC 9559). */
export function writeMatroskaHead({ format, channels }: Pick<ForeignAudio, 'format' | 'channels'>): Buffer {
  const opus = [
    element(ID.codecPrivate, writeOpusHead(channels)),
    element(
      ID.audio,
      element(ID.samplingFrequency, float(OPUS_RATE_HZ)),
      element(ID.channels, Buffer.from([channels])),
    ),
  ];
  const track = element(
    ID.trackEntry,
    element(ID.trackNumber, Buffer.from([1])),
    element(ID.trackUid, Buffer.from([1])),
    element(ID.trackType, Buffer.from([AUDIO])),
    element(ID.codecId, Buffer.from(CODEC_IDS[format], 'latin1')),
    ...(format === 'opus' ? opus : []),
  );
  return Buffer.concat([
    element(ID.ebml, element(ID.docType, Buffer.from('matroska', 'latin1'))),
    idOf(ID.segment),
    UNKNOWN_SIZE,
    element(ID.info, element(ID.timestampScale, number(NANOSECONDS_PER_MS))),
    element(ID.tracks, track),
  ]);
}

/** Writes frames as a separate cluster. `timeMs` is their time in whole milliseconds. */
export function writeMatroskaBlock(timeMs: number, frames: Buffer): Buffer {
  const block = element(ID.simpleBlock, Buffer.from([0x81, 0, 0, KEY_FRAME]), frames);
  return element(ID.cluster, element(ID.timestamp, number(Math.max(0, Math.round(timeMs)))), block);
}

/** Writes the identification header of RFC 7845 section 5.1, with no samples to skip. */
function writeOpusHead(channels: number): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 'latin1');
  head.writeUInt8(1, 8);
  head.writeUInt8(channels, 9);
  head.writeUInt32LE(OPUS_RATE_HZ, 12);
  const mapping = OPUS_MAPPINGS[channels];
  if (mapping === undefined) return head;
  head.writeUInt8(1, 18);
  return Buffer.concat([head, Buffer.from(mapping)]);
}

function element(id: number, ...parts: readonly Buffer[]): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(0x01000000, 0);
  size.writeUInt32BE(
    parts.reduce((sum, { length }) => sum + length, 0),
    4,
  );
  return Buffer.concat([idOf(id), size, ...parts]);
}

function idOf(id: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0));
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}
