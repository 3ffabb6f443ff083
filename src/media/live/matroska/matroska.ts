import { BrokenMedia } from '../../bmff/broken-media.ts';
import { configurationOf } from '../../bmff/sample-entry.ts';
import type { TrackConfig } from '../tracks/access-unit.ts';

/** Matroska codec ids by sample entry type. Their private data is the payload of the entry's configuration box. */
const CODECS: Readonly<Record<string, string>> = {
  avc1: 'V_MPEG4/ISO/AVC',
  hvc1: 'V_MPEGH/ISO/HEVC',
  av01: 'V_AV1',
};

const UNKNOWN_SIZE = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
const TRACK = 1;
const KEYFRAME = 0x80;

/**
 * Writes the header of an endless Matroska stream with one video track (RFC 9559). A decoder in another process can
 * read it from a pipe without seeking. Timestamps are whole milliseconds. Throws BrokenMedia for an unsupported codec.
 */
export function matroskaHead({ sampleEntry, widthPx, heightPx }: TrackConfig): Buffer {
  const type = sampleEntry.toString('latin1', 4, 8);
  const codec = CODECS[type];
  if (codec === undefined) throw new BrokenMedia(`Expected video of ${Object.keys(CODECS).join(', ')}, got ${type}.`);
  const header = element(
    0x1a45dfa3,
    element(0x4282, Buffer.from('matroska')),
    element(0x4287, uint(4)),
    element(0x4285, uint(2)),
  );
  const info = element(0x1549a966, element(0x2ad7b1, uint(1_000_000)));
  const video = element(0xe0, element(0xb0, uint(widthPx)), element(0xba, uint(heightPx)));
  const track = element(
    0xae,
    element(0xd7, uint(TRACK)),
    element(0x73c5, uint(TRACK)),
    element(0x83, uint(1)),
    element(0x9c, uint(0)),
    element(0x86, Buffer.from(codec)),
    element(0x63a2, configurationOf(sampleEntry)),
    video,
  );
  return Buffer.concat([header, idOf(0x18538067), UNKNOWN_SIZE, info, element(0x1654ae6b, track)]);
}

/** Writes a frame as a separate cluster, so that it can be read immediately. */
export function matroskaFrame(timeMs: number, isKey: boolean, bytes: Buffer): Buffer {
  const block = Buffer.from([0x80 | TRACK, 0, 0, isKey ? KEYFRAME : 0]);
  return element(0x1f43b675, element(0xe7, uint(timeMs)), element(0xa3, block, bytes));
}

function element(id: number, ...parts: readonly Buffer[]): Buffer {
  const size = Buffer.alloc(8);
  // The size has eight bytes. Its first seven bits are 0 and the eighth is 1.
  size.writeBigUInt64BE(BigInt(parts.reduce((sum, part) => sum + part.length, 0)) | (1n << 56n));
  return Buffer.concat([idOf(id), size, ...parts]);
}

function idOf(id: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(id);
  return bytes.subarray(id > 0xffffff ? 0 : id > 0xffff ? 1 : id > 0xff ? 2 : 3);
}

function uint(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
